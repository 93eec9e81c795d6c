import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Binary, Decimal128, Double, Int32, Long, ObjectId, Timestamp, UUID } from 'mongodb';
import { Problem } from '../../src/errors.ts';
import { defineModel, t } from '../../src/index.ts';
import { compileModel } from '../../src/model/compile-model.ts';
import { behind, digestQuery, formatCursor, parseCursor } from '../../src/mongo/cursor.ts';
import type { Condition } from '../../src/mongo/filter.ts';
import type { SortKey } from '../../src/mongo/list-query.ts';

const policy = { sort: true, filter: true } as const;
const { clientFields } = compileModel(
  defineModel('Doc', {
    collection: 'docs',
    fields: {
      id: t.objectId({ policy }),
      n: t.nullable(t.float(), { policy }),
      i: t.int64({ policy }),
      s: t.string({ policy }),
      b: t.boolean({ policy }),
      d: t.date({ policy }),
      u: t.uuid({ policy }),
    },
  }),
);
const key = (name: string, direction: 1 | -1 = 1): SortKey => ({ field: clientFields.get(name) as SortKey['field'], direction });
const byId = key('id');
const id = new ObjectId('0123456789abcdef01234567');
const read = (values: readonly unknown[], sort: readonly SortKey[]) => parseCursor(formatCursor('digest', values), 'digest', sort);

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
    ['i', 9007199254740993n, Long.fromString('9007199254740993')],
    ['i', new Int32(5), new Int32(5)],
    ['b', false, false],
    ['d', new Date(0), new Date(0)],
    ['d', new Date(-62135596800001), new Date(-62135596800001)],
    ['u', new UUID('6f9619ff-8b86-4d01-b42d-00cf4fc964ff'), new Binary(Buffer.from('6f9619ff8b864d01b42d00cf4fc964ff', 'hex'), 4)],
  ])('bring a value of %s back exactly: %p', (name, value, expected) => {
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

  it('are made of characters that a URL holds as they are', () => {
    expect(formatCursor('d', ['<>?&=+/ü', id])).toMatch(/^[\w-]+$/);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['no JSON', 'AAAA'],
    ['another digest', formatCursor('other', [id])],
    ['too few values', formatCursor('digest', [])],
    ['too many values', formatCursor('digest', [id, id])],
    ['null for the id', formatCursor('digest', [null])],
    ['another type', formatCursor('digest', ['0123456789abcdef01234567'])],
    ['an object', formatCursor('digest', [{ $gt: '' }])],
    ['a list', formatCursor('digest', [[id]])],
    ['a timestamp, which is a Long by inheritance', formatCursor('digest', [new Timestamp(5n)])],
    ['lists within lists', Buffer.from('['.repeat(100_000)).toString('base64url')],
    ['a key of prototypes', Buffer.from('["digest",{"__proto__":{"_bsontype":"ObjectId"}}]').toString('base64url')],
  ])('refuse what is none: %s', (_name, text) => {
    expect(() => parseCursor(text, 'digest', [byId])).toThrow(Problem);
    expect(() => parseCursor(text, 'digest', [byId])).toThrow(expect.objectContaining({ code: 'invalid_cursor', status: 400 }));
  });
});

describe('digestQuery()', () => {
  const condition = (name: string, operator: Condition['operator'], value: unknown): Condition => ({
    field: clientFields.get(name) as Condition['field'],
    operator,
    value,
  });
  const a = condition('s', 'eq', 'x');
  const b = condition('n', 'gt', new Double(1));

  it('does not depend on the order of filters', () => {
    expect(digestQuery('docs', [byId], [a, b])).toBe(digestQuery('docs', [byId], [b, a]));
  });

  it('differs by resource, sort, direction, filter, operator, value and type of the value', () => {
    const digests = [
      digestQuery('docs', [byId], [a]),
      digestQuery('other', [byId], [a]),
      digestQuery('docs', [key('s'), byId], [a]),
      digestQuery('docs', [key('s', -1), byId], [a]),
      digestQuery('docs', [key('id', -1)], [a]),
      digestQuery('docs', [byId], []),
      digestQuery('docs', [byId], [a, b]),
      digestQuery('docs', [byId], [condition('s', 'ne', 'x')]),
      digestQuery('docs', [byId], [condition('s', 'eq', 'y')]),
      digestQuery('docs', [byId], [condition('s', 'in', ['x'])]),
      digestQuery('docs', [byId], [condition('i', 'eq', 5n)]),
      digestQuery('docs', [byId], [condition('i', 'eq', '5')]),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });
});

describe('behind()', () => {
  it.each<[string, SortKey[], unknown[], object]>([
    ['one key', [byId], [id], { $or: [{ $and: [{ _id: { $gt: id } }] }] }],
    ['descending', [key('id', -1)], [id], { $or: [{ $and: [{ _id: { $lt: id } }] }] }],
    [
      'two keys',
      [key('s'), byId],
      ['x', id],
      { $or: [{ $and: [{ s: { $gt: 'x' } }] }, { $and: [{ s: { $eq: 'x' } }, { _id: { $gt: id } }] }] },
    ],
    [
      'null ascending: everything else is behind',
      [key('s'), byId],
      [null, id],
      { $or: [{ $and: [{ s: { $ne: null } }] }, { $and: [{ s: { $eq: null } }, { _id: { $gt: id } }] }] },
    ],
    [
      'null descending: nothing is behind',
      [key('s', -1), byId],
      [null, id],
      { $or: [{ $and: [{ s: { $eq: null } }, { _id: { $gt: id } }] }] },
    ],
    [
      'a value descending: missing ones are behind',
      [key('s', -1), byId],
      ['x', id],
      { $or: [{ $and: [{ s: { $lt: 'x' } }] }, { $and: [{ s: null }] }, { $and: [{ s: { $eq: 'x' } }, { _id: { $gt: id } }] }] },
    ],
  ])('says what stands behind a record: %s', (_name, sort, values, filter) => {
    expect(behind(sort, values)).toEqual(filter);
  });
});
