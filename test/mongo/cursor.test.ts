import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Binary, Decimal128, Double, Int32, Long, ObjectId, Timestamp, UUID } from 'mongodb';
import { Problem } from '../../src/errors.ts';
import { defineModel, t } from '../../src/index.ts';
import { compileModel } from '../../src/model/compile-model.ts';
import { digestQuery, formatCursor, parseCursor, rangesBehind } from '../../src/mongo/cursor.ts';
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

  it.each([1, -1] as const)('bring the side of the record back: %i', (side) => {
    expect(parseCursor(formatCursor('digest', { values: [id], side }), 'digest', [byId])).toEqual({ values: [id], side });
  });

  it('are made of characters that a URL holds as they are', () => {
    expect(format(['<>?&=+/ü', id])).toMatch(/^[\w-]+$/);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['no JSON', 'AAAA'],
    ['another digest', format([id], 'other')],
    ['too few values', format([])],
    ['too many values', format([id, id])],
    ['null for the id', format([null])],
    ['another type', format(['0123456789abcdef01234567'])],
    ['an object', format([{ $gt: '' }])],
    ['a list', format([[id]])],
    ['a timestamp, which is a Long by inheritance', format([new Timestamp(5n)])],
    ['lists within lists', Buffer.from('['.repeat(100_000)).toString('base64url')],
    ['no side', Buffer.from(`["digest",{"$oid":"${id}"}]`).toString('base64url')],
    ['another side', Buffer.from(`["digest",1,{"$oid":"${id}"}]`).toString('base64url')],
    ['a key of prototypes', Buffer.from('["digest",true,{"__proto__":{"_bsontype":"ObjectId"}}]').toString('base64url')],
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

describe('rangesBehind()', () => {
  it.each<[string, SortKey[], unknown[], object[]]>([
    ['one key', [byId], [id], [{ _id: { $gt: id } }]],
    ['descending', [key('id', -1)], [id], [{ _id: { $lt: id } }]],
    ['two keys, the nearer range first', [key('s'), byId], ['x', id], [{ s: { $eq: 'x' }, _id: { $gt: id } }, { s: { $gt: 'x' } }]],
    [
      'null ascending: everything else is behind',
      [key('s'), byId],
      [null, id],
      [{ s: { $eq: null }, _id: { $gt: id } }, { s: { $ne: null } }],
    ],
    ['null descending: nothing is behind', [key('s', -1), byId], [null, id], [{ s: { $eq: null }, _id: { $gt: id } }]],
    [
      'a value descending: missing ones are behind',
      [key('s', -1), byId],
      ['x', id],
      [{ s: { $eq: 'x' }, _id: { $gt: id } }, { s: { $lt: 'x' } }, { s: { $in: [null] } }],
    ],
    [
      'a number descending: NaN and missing ones are behind',
      [key('n', -1), byId],
      [1, id],
      [{ n: { $eq: 1 }, _id: { $gt: id } }, { n: { $lt: 1 } }, { n: { $in: [Number.NaN, null] } }],
    ],
    [
      'NaN ascending: all numbers are behind',
      [key('n'), byId],
      [Number.NaN, id],
      [{ n: { $eq: Number.NaN }, _id: { $gt: id } }, { n: { $gte: Number.NEGATIVE_INFINITY } }],
    ],
  ])('are the records behind a position, in the order of the list: %s', (_name, sort, values, ranges) => {
    expect(rangesBehind(sort, { values, side: 1 })).toEqual(ranges);
  });

  it('begin with the record itself where the position is before it', () => {
    expect(rangesBehind([key('s'), byId], { values: ['x', id], side: -1 })).toEqual([
      { s: { $eq: 'x' }, _id: { $gte: id } },
      { s: { $gt: 'x' } },
    ]);
    expect(rangesBehind([key('id', -1)], { values: [id], side: -1 })).toEqual([{ _id: { $lte: id } }]);
  });
});
