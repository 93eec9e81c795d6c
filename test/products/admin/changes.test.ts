import fc from 'fast-check';
import { changesOf, newRecordOf } from '../../../src/products/admin/changes.ts';
import { parseExactly, writeExactly } from '../../../src/products/admin/exact-json.ts';
import type { Schema, Schemas } from '../../../src/products/admin/schemas.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';

type Values = Record<string, unknown>;

const settings = cases(200);

/** `a` and `b` are plain, `map` and `list` are replaced, `inner` is merged and holds the same again. */
const schemas: Schemas = {
  RecordPatch: {
    properties: {
      a: {},
      b: {},
      map: { type: 'object', additionalProperties: {} },
      list: { type: 'array', items: {} },
      inner: { anyOf: [{ $ref: '#/components/schemas/RecordPatch' }, { type: 'null' }] },
    },
  },
};
const patch: Schema = { $ref: '#/components/schemas/RecordPatch' };

const leaf = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constantFrom('x', 'y', true));
const { record } = fc.letrec<{ record: Values }>((tie) => ({
  record: fc.record(
    {
      a: fc.option(leaf),
      b: leaf,
      map: fc.dictionary(fc.constantFrom('k', 'l'), fc.option(leaf)),
      list: fc.array(fc.oneof(leaf, fc.record({ z: leaf }))),
      inner: fc.option(tie('record'), { depthSize: 'small', maxDepth: 3 }),
    },
    { requiredKeys: [] },
  ),
}));

/** What the api stores: RFC 7396 for `inner`, and whole values for the rest. */
function apply(before: Values, changes: Values): Values {
  const after: Values = { ...before };
  for (const [key, value] of Object.entries(changes)) {
    const merges = key === 'inner' && isObject(before[key]) && isObject(value);
    after[key] = merges ? apply(before[key] as Values, value as Values) : value;
  }
  return after;
}

/** Which values differ, by their path. What is written as a whole has one path. */
function differences(before: Values, after: Values, path = ''): string[] {
  return Object.entries(after).flatMap(([key, value]) => {
    const known = before[key];
    if (key === 'inner' && isObject(known) && isObject(value)) return differences(known, value, `${path}inner.`);
    const isRecord = key === 'inner';
    return JSON.stringify(sorted(known ?? null, isRecord)) === JSON.stringify(sorted(value ?? null, isRecord)) ? [] : [path + key];
  });
}

const pathsOf = (changes: Values, before: Values, path = ''): string[] =>
  Object.entries(changes).flatMap(([key, value]) =>
    key === 'inner' && isObject(before[key]) && isObject(value) ? pathsOf(value, before[key], `${path}inner.`) : [path + key],
  );

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);

/** With keys in one order. In a record, null is no value. */
function sorted(value: unknown, isRecord = true): unknown {
  if (Array.isArray(value)) return value.map((item) => sorted(item, false));
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined && !(isRecord && member === null));
  return Object.fromEntries(
    members.map(([key, member]) => [key, sorted(member, key === 'inner')]).sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
}

/** What forms make of an object that is not there stays out of these cases: a test of the provider has it. */
const isLeftEmpty = (value: unknown): boolean => isObject(value) && Object.values(value).every((one) => one === null || isLeftEmpty(one));
const holdsLeftEmpty = (values: Values): boolean =>
  Object.values(values).some((value) => isLeftEmpty(value) || (isObject(value) && holdsLeftEmpty(value)));

describe('changesOf', () => {
  it('has the changed values only, and makes the one record of the other', () => {
    fc.assert(
      fc.property(record, record, (before, after) => {
        fc.pre(!holdsLeftEmpty(before) && !holdsLeftEmpty(after));
        const changes = changesOf(before, after, patch, schemas);
        expect(pathsOf(changes, before).sort()).toEqual(differences(before, after).sort());
        // What the form does not have stays.
        expect(sorted(apply(before, changes))).toEqual(sorted(apply(before, after)));
      }),
      {
        ...settings,
        examples: [
          [{ inner: { map: { k: 1, l: 2 } } }, { inner: { map: { k: 1 } } }],
          [{ map: { k: null, l: 1 } }, { map: { l: 1 } }],
        ],
      },
    );
  });

  it('is empty for equal records, whatever the order of their keys', () => {
    fc.assert(
      fc.property(record, (values) => {
        const reversed = Object.fromEntries(Object.entries(structuredClone(values)).reverse());
        expect(changesOf(values, reversed, patch, schemas)).toEqual({});
      }),
      settings,
    );
  });

  it('has no object in which nothing has changed', () => {
    expect(changesOf({ inner: { a: 1, b: 2 } }, { inner: { a: 1 } }, patch, schemas)).toEqual({});
  });

  it('has null where it is a value: in maps and untyped values', () => {
    expect(changesOf({ a: {} }, { a: { n: null } }, patch, schemas)).toEqual({ a: { n: null } });
    expect(changesOf({ a: { n: null } }, { a: {} }, patch, schemas)).toEqual({ a: {} });
    expect(changesOf({ a: null }, { a: { n: null } }, patch, schemas)).toEqual({ a: { n: null } });
    expect(changesOf({ list: [{ n: null }] }, { list: [{}] }, patch, schemas)).toEqual({ list: [{}] });
  });

  it('has a point whole: what is not merged has no name that ends with Patch', () => {
    const point = (...coordinates: number[]) => ({ type: 'Point', coordinates });
    const schema = { properties: { at: { properties: { type: { type: 'string' }, coordinates: { type: 'array' } } } } } as Schema;
    expect(changesOf({ at: point(8, 47) }, { at: point(8, 48) }, schema, schemas)).toEqual({ at: point(8, 48) });
    expect(changesOf({ at: point(8, 47) }, { at: point(8, 47) }, schema, schemas)).toEqual({});
  });

  it('knows only what the record and the schema themselves have', () => {
    const properties = { constructor: { type: ['string', 'null'] } };
    expect(changesOf({}, { constructor: null, toString: null }, { properties } as Schema, schemas)).toEqual({});
    expect(changesOf({ map: { a: 1 } }, { map: { a: 1, constructor: null } }, patch, schemas)).toEqual({
      map: { a: 1, constructor: null },
    });
    expect(newRecordOf({ toString: null }, { properties } as Schema, schemas)).toEqual({ toString: null });
  });

  it('does not touch a prototype', () => {
    const changes = changesOf({}, JSON.parse('{"__proto__": {"a": 1}}'), patch, schemas);
    expect(Object.keys(changes)).toEqual(['__proto__']);
    expect(({} as Values).a).toBeUndefined();
  });
});

describe('newRecordOf', () => {
  it('keeps null where the schema has it, and an object that was empty from the start', () => {
    const create: Schema = {
      properties: { a: { type: ['string', 'null'] }, b: { type: 'string' }, more: { properties: { c: { type: 'string' } } } },
    };
    expect(newRecordOf({ a: null, b: null, more: { c: null }, unknown: null }, create, {})).toEqual({ a: null, unknown: null });
    expect(newRecordOf({ more: {} }, create, {})).toEqual({ more: {} });
  });
});

describe('parseExactly and writeExactly', () => {
  it('write no number that is not JSON', () => {
    expect(writeExactly('007', { type: 'integer' }, {})).toBe('"007"');
    expect(writeExactly('-70', { type: 'integer' }, {})).toBe('-70');
  });

  it.each([
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['9007199254740991', 9007199254740991],
    ['1.12345678901234567890', 1.1234567890123457],
    ['12345678901234567890e2', Number('12345678901234567890e2')],
    ['"1234567890123456789 \\" 1234567890123456789"', '1234567890123456789 " 1234567890123456789'],
    ['{"1234567890123456789":[1234567890123456789,null]}', { '1234567890123456789': ['1234567890123456789', null] }],
    ['["\\\\",1234567890123456789,"\\u0022",1234567890123456789]', ['\\', '1234567890123456789', '"', '1234567890123456789']],
  ])('reads %s', (text, value) => {
    expect(parseExactly(text)).toEqual(value);
  });

  // In quadratic time, each of these would take many minutes.
  it.each([
    ['escaped quotes outside of a string', `1234567890123456${'\\"'.repeat(1_000_000)}`],
    ['a string that does not end', `["${'\\"'.repeat(1_000_000)}1234567890123456`],
    ['strings and escapes by turns', `[${'"\\'.repeat(1_000_000)}"1234567890123456`],
    ['digits as a key', '{1234567890123456789:1}'],
  ])('refuse what is no JSON, in linear time: %s', (_what, text) => {
    expect(() => parseExactly(text)).toThrow(SyntaxError);
  });

  it('read a string with millions of escapes', () => {
    const string = '"'.repeat(10_000_000);
    const read = parseExactly(`[${JSON.stringify(string)},1234567890123456789]`) as unknown[];
    expect([read[0] === string, read[1]]).toEqual([true, '1234567890123456789']);
  });

  it('read and write every JSON that has no unsafe integers as JavaScript does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!/(?<!["\d.])-?\d{16,}(?![\d.e])/.test(text));
        expect(parseExactly(text)).toEqual(JSON.parse(text));
        expect(JSON.parse(writeExactly(value, undefined, {}) ?? '')).toEqual(JSON.parse(text));
      }),
      settings,
    );
  });

  it('writes digits as numbers only where the schema has no string', () => {
    const schema: Schema = {
      properties: { long: { type: ['integer', 'null'] }, text: { type: 'string' }, decimal: { type: ['string', 'number'] } },
      additionalProperties: { type: 'integer' },
    };
    const value = { long: '12', text: '12', decimal: '12', other: '12', none: undefined, big: 12n, at: new Date(0) };
    expect(writeExactly(value, schema, {})).toBe(
      '{"long":12,"text":"12","decimal":"12","other":12,"big":12,"at":"1970-01-01T00:00:00.000Z"}',
    );
  });
});

describe('changesOf() of a map whose keys a patch merges', () => {
  const named: Schemas = {
    ...schemas,
    PricePatch: { properties: { amount: { type: 'integer' }, note: { type: ['string', 'null'] } } },
  };
  const schema = {
    properties: {
      labels: { type: 'object', additionalProperties: { type: ['string', 'null'] }, 'x-merge': true },
      prices: {
        type: 'object',
        additionalProperties: { anyOf: [{ $ref: '#/components/schemas/PricePatch' }, { type: 'null' }] },
        'x-merge': true,
      },
    },
  } as Schema;
  const changes = (before: Values, after: Values) => changesOf(before, after, schema, named);

  it('has the keys that differ, and null for those that are gone', () => {
    expect(changes({ labels: { a: '1', b: '2', c: '3' } }, { labels: { a: '1', b: 'two', d: '4' } })).toEqual({
      labels: { b: 'two', c: null, d: '4' },
    });
    expect(changes({ labels: { a: '1' } }, { labels: { a: '1' } })).toEqual({});
    expect(changes({ labels: null }, { labels: { a: '1' } })).toEqual({ labels: { a: '1' } });
    const odd = JSON.parse('{"__proto__":"p"}') as Values;
    expect(changes({ labels: odd }, { labels: {} })).toEqual({ labels: JSON.parse('{"__proto__":null}') });
  });

  it('has the changes of an object under its key', () => {
    const before = { prices: { eur: { amount: 1, note: 'n' }, usd: { amount: 2 } } };
    expect(changes(before, { prices: { eur: { amount: 3, note: 'n' }, gbp: { amount: 4 } } })).toEqual({
      prices: { eur: { amount: 3 }, usd: null, gbp: { amount: 4 } },
    });
  });
});
