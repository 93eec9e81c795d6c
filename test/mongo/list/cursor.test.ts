import { inspect } from 'node:util';
import fc from 'fast-check';
import { Binary, BSON, Decimal128, Double, Int32, Long, ObjectId, Timestamp, UUID } from 'mongodb';
import { Problem } from '../../../src/errors.ts';
import type { Visible } from '../../../src/mongo/lifecycle/lifecycle.ts';
import { formatCursor, parseCursor, textOfList } from '../../../src/mongo/list/cursor.ts';
import type { Condition } from '../../../src/mongo/predicate/predicate.ts';
import type { SortKey } from '../../../src/mongo/query/position.ts';
import { anyCharacter } from '../../support/fuzzing/any-character.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';
import { forgeCursor, seal } from '../../support/http/forge-cursor.ts';
import { clientFields, key } from '../sort-keys.ts';

const byId = key('id');
const id = new ObjectId('0123456789abcdef01234567');
const format = (values: readonly unknown[], digest = 'digest') => formatCursor(digest, { values, side: 1 });
const read = (values: readonly unknown[], sort: readonly SortKey[]) => parseCursor(format(values), 'digest', sort).values;

describe('formatCursor() and parseCursor()', () => {
  it.each<[string, unknown, unknown]>([
    ['s', 'é😀', 'é😀'],
    ['s', '', ''],
    ['s', null, null],
    ['n', null, null],
    ['n', 0.1, new Double(0.1)],
    ['n', 5, new Double(5)],
    ['n', 2 ** 60, new Double(2 ** 60)],
    ['n', 2 ** 63, new Double(2 ** 63)],
    ['n', -0, new Double(-0)],
    ['n', Number.NaN, new Double(Number.NaN)],
    ['n', Number.NEGATIVE_INFINITY, new Double(Number.NEGATIVE_INFINITY)],
    ['n', Decimal128.fromString('1.50'), Decimal128.fromString('1.50')],
    ['i', 9007199254740993n, 9007199254740993n],
    ['i', Long.fromString('-9223372036854775808'), -(2n ** 63n)],
    ['i', new Int32(5), new Int32(5)],
    ['b', false, false],
    ['d', new Date(0), new Date(0)],
    ['d', new Date(-62135596800001), new Date(-62135596800001)],
    ['u', new UUID('6f9619ff-8b86-4d01-b42d-00cf4fc964ff'), new Binary(Buffer.from('6f9619ff8b864d01b42d00cf4fc964ff', 'hex'), 4)],
  ])('bring a value of %s back exactly: %o', (name, value, expected) => {
    const [back, backId] = read([value, id], [key(name), byId]);
    expect(back instanceof Binary ? [...back.buffer.subarray(0, 16)] : back).toEqual(
      expected instanceof Binary ? [...expected.buffer] : expected,
    );
    expect(backId).toEqual(id);
  });

  it('bring every double back', () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        const [back] = read([value, id], [key('n'), byId]);
        expect(Object.is((back as Double).value, value)).toBe(true);
      }),
    );
  });

  it.each([1, -1] as const)('bring the side of the record back: %i', (side) => {
    expect(parseCursor(formatCursor('digest', { values: [id], side }), 'digest', [byId])).toEqual({ values: [id], side });
  });

  it('are made of characters that a URL holds as they are', () => {
    expect(format(['<>?&=+/ü', id])).toMatch(/^[\w-]+$/);
  });

  it('carry any single value for any field: what is stored decides the order, whatever the model says', () => {
    for (const value of ['text', 5n, true, new Date(5), Decimal128.fromString('1E+6144'), id, null]) {
      expect(read([value, 'an id'], [key('n'), byId])).toEqual([value, 'an id']);
    }
  });

  it.each([
    ['an object', { $gt: '' }],
    ['a list', [id]],
    ['a regular expression', /a/],
    ['a timestamp, which is a Long by inheritance', new Timestamp(5n)],
    ['a date that is none', new Date(Number.NaN)],
    ['undefined', undefined],
  ])('are not made of %s', (_name, value) => {
    expect(() => format([value])).toThrow(TypeError);
  });

  const whole = format(['some text', id]);
  const sort = [key('s'), byId];
  const outcome = (text: string): unknown => {
    try {
      return parseCursor(text, 'digest', sort);
    } catch (error) {
      return error instanceof Problem ? `${error.status} ${error.code}` : error;
    }
  };
  const refused = '400 invalid_cursor';
  const requireRefused = (text: string) => {
    const found = outcome(text);
    if (found !== refused) throw new Error(`${text} is read as ${inspect(found)}`); // an expect() for each takes seconds
  };

  it('refuse one in which a character was changed, inserted or deleted', () => {
    const alphabet = 'ABQZabqz0189-_+/=.~!* \u00e9';
    expect(parseCursor(whole, 'digest', sort).values).toHaveLength(2);
    for (let at = 0; at <= whole.length; at++) {
      const [before, behind, rest] = [whole.slice(0, at), whole.slice(at), whole.slice(at + 1)];
      for (const character of alphabet) {
        requireRefused(before + character + behind);
        if (character !== whole[at]) requireRefused(before + character + rest);
      }
      if (at < whole.length) requireRefused(before + rest);
    }
  });

  it('refuse any other text', () => {
    const isRefused = (text: string) => void expect(outcome(text)).toBe(refused);
    fc.assert(fc.property(fc.string({ unit: anyCharacter }), isRefused));
    fc.assert(fc.property(fc.string({ unit: anyCharacter, minLength: 1 }), (text) => isRefused(whole + text)));
    fc.assert(fc.property(fc.json(), (json) => isRefused(seal('digest', Buffer.from(json).toString('base64url')))));
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['no JSON', seal('digest', 'AAAA')],
    ['no list', forgeCursor('digest', { length: 2 })],
    ['text', forgeCursor('digest', 'sn')],
    ['another digest', format(['x', id], 'other')],
    ['too few values', format(['x'])],
    ['too many values', format(['x', id, id])],
    ['lists within lists', seal('digest', Buffer.from('['.repeat(100_000)).toString('base64url'))],
    ['no side', forgeCursor('digest', ['sx', 'n'])],
    ['another side', forgeCursor('digest', [0, 'sx', 'n'])],
    ['base64 with padding', seal('digest', `${Buffer.from('[1,"sx","n"]').toString('base64url')}=`)],
    ['JSON with a space', seal('digest', Buffer.from('[1, "sx","n"]').toString('base64url'))],
  ])('refuse what is none: %s', (_name, text) => {
    expect(outcome(text)).toBe(refused);
  });

  it.each<[string, unknown]>([
    ['no text', 5],
    ['null', null],
    ['an object', { $gt: '' }],
    ['a list', ['sx']],
    ['no type', ''],
    ['an unknown type', 'zx'],
    ['a key of prototypes', '__proto__'],
    ['null with a value', 'n0'],
    ['another word than true and false', 'b1'],
    ['an int of more than 32 bits', 'i2147483648'],
    ['an int that is none', 'ix'],
    ['an int with a sign', 'i+5'],
    ['a long of more than 64 bits', 'l9223372036854775808'],
    ['a long that is none', 'lx'],
    ['a long without digits', 'l'],
    ['a long in another base', 'l0x10'],
    ['a double that is none', 'fx'],
    ['a double of too many digits', 'f0.10000000000000001'],
    ['a double without digits', 'f'],
    ['a decimal that is none', 'mx'],
    ['a decimal of too many digits', `m${'1'.repeat(35)}`],
    ['a decimal with a sign', 'm+1'],
    ['a lone surrogate', 's\ud800'],
    ['a date that is none', 'dx'],
    ['a date outside the range', 'd8640000000000001'],
    ['a date within a millisecond', 'd0.5'],
    ['an id of eleven bytes', `o${Buffer.alloc(11).toString('base64')}`],
    ['an id with junk', `o!${Buffer.alloc(12).toString('base64')}`],
    ['a binary without a subtype', 'x'],
    ['a binary of no subtype', 'xzzAAAA'],
    ['a binary with junk', 'x00AA!A'],
    ['a binary without padding', 'x00AA'],
    ['a vector with bad padding', `x09${Buffer.from([0x27, 1, 1, 2, 3]).toString('base64')}`],
  ])('refuse a value that no cursor has, the checksum being right: %s', (_name, value) => {
    expect(() => parseCursor(forgeCursor('digest', [1, 'sx', 'n']), 'digest', sort)).not.toThrow();
    requireRefused(forgeCursor('digest', [1, value, 'n']));
    requireRefused(forgeCursor('digest', [1, 'sx', value]));
  });
});

describe('parseCursor()', () => {
  it('says what to do', () => {
    const detail = 'It is damaged, or belongs to another list: another resource, sort or filter; begin again without a cursor.';
    expect(() => parseCursor('', 'digest', [])).toThrow(expect.objectContaining({ detail }));
  });
});

describe('textOfList()', () => {
  const condition = (name: string, operator: Condition['operator'], value: unknown): Condition => ({
    field: clientFields.get(name) as Condition['field'],
    operator,
    value,
  });
  const a = condition('s', 'eq', 'x');
  const b = condition('n', 'gt', new Double(1));

  it('does not depend on the order of filters', () => {
    expect(textOfList('docs', [byId], [a, b])).toBe(textOfList('docs', [byId], [b, a]));
  });

  it('is that of a list of live records, below none and without an expression, where nothing is said', () => {
    expect(textOfList('docs', [byId], [a])).toBe(
      textOfList('docs', [byId], [a], { deleted: 'live', parent: undefined, filter: undefined }),
    );
  });

  it('differs by the version of the folding in the order of a field without case, which is another one', () => {
    const path = 'name[fold2]';
    const field = { ...byId.field, name: 'name', path, caseless: { exactPath: 'name', fold: (text: string) => text } };
    const sortBy = (one: typeof field) => textOfList('docs', [{ field: one, direction: 1 }, byId], []);
    expect(sortBy(field)).not.toBe(sortBy({ ...field, path: 'name[fold1]' }));
    expect(sortBy({ ...field, caseless: undefined } as never)).toBe(sortBy({ ...field, path: 'stored', caseless: undefined } as never));
  });

  it('differs by resource, sort, direction, filter, operator, value and type of the value, deleted, record above and expression', () => {
    const digests = [
      textOfList('docs', [byId], [a]),
      textOfList('other', [byId], [a]),
      textOfList('docs', [key('s'), byId], [a]),
      textOfList('docs', [key('s', -1), byId], [a]),
      textOfList('docs', [key('id', -1)], [a]),
      textOfList('docs', [byId], []),
      textOfList('docs', [byId], [a, b]),
      textOfList('docs', [byId], [condition('s', 'ne', 'x')]),
      textOfList('docs', [byId], [condition('s', 'eq', 'y')]),
      textOfList('docs', [byId], [condition('s', 'in', ['x'])]),
      textOfList('docs', [byId], [condition('i', 'eq', 5n)]),
      textOfList('docs', [byId], [condition('i', 'eq', '5')]),
      textOfList('docs', [byId], [condition('i', 'eq', 2n ** 53n)]),
      textOfList('docs', [byId], [condition('i', 'eq', 2n ** 53n + 1n)]),
      textOfList('docs', [byId], [a], { deleted: 'only' }),
      textOfList('docs', [byId], [a], { parent: 'only' }),
      textOfList('docs', [byId], [a], { parent: 'with' }),
      textOfList('docs', [byId], [a], { filter: ['only'] }),
      textOfList('docs', [byId], [a], { filter: ['with'] }),
      textOfList('docs\0+s', [byId], [a]), // a NUL is no end of a part
      textOfList('docs', [byId], [a], { parent: 'x\0y' }),
      textOfList('docs', [byId], [a], { parent: 'x', filter: 'y\0' }),
      textOfList('docs', [byId], [a], { parent: 'x', further: 'y' }),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });

  it('is the same for no two lists', () => {
    const text = fc.constantFrom('', '\0', '\0+s', 'a', 'live', '"', ',', '"\0"');
    const value = fc.oneof(
      text,
      fc.constantFrom<unknown>(null, true, 1n, new Double(1), new Int32(1), new Date(0), new ObjectId()),
      fc.array(text),
    );
    const some = fc.constantFrom('s', 'i', 's+i', 'live', 's[eq]"a"i');
    const list = fc.record({
      resource: text,
      sort: fc.uniqueArray(fc.record({ name: some, direction: fc.constantFrom<1 | -1>(1, -1) }), {
        maxLength: 2,
        selector: (one) => one.name,
      }),
      conditions: fc.uniqueArray(fc.record({ name: some, operator: fc.constantFrom<Condition['operator']>('eq', 'in'), value }), {
        maxLength: 2,
        selector: (one) => one.name,
      }),
      bounds: fc.record(
        { deleted: fc.constantFrom<Visible>('live', 'with', 'only'), parent: text, filter: fc.array(value), further: text },
        { requiredKeys: [] },
      ),
    });
    const textFor = ({ resource, sort, conditions, bounds }: typeof list extends fc.Arbitrary<infer List> ? List : never) =>
      textOfList(
        resource,
        sort.map(({ name, direction }) => ({ field: { name }, direction }) as SortKey),
        conditions.map(({ name, ...one }) => ({ field: { name }, ...one }) as Condition),
        bounds,
      );
    const known = new Map<string, unknown>();
    fc.assert(
      fc.property(list, (given) => {
        const written = textFor(given);
        const byName = [...given.conditions].sort((one, other) => (one.name < other.name ? -1 : 1));
        const own = BSON.EJSON.stringify([given.resource, given.sort, byName, { deleted: 'live', ...given.bounds }], { relaxed: false });
        expect(known.get(written) ?? own).toBe(own);
        known.set(written, own);
      }),
      cases(2_000),
    );
    expect(known.size).toBeGreaterThan(1_000);
  });
});
