import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { defineModel } from '../../../src/model/define/define-model.ts';
import { t } from '../../../src/model/define/t.ts';
import { formatKey } from '../../../src/mongo/indexes/index-plan.ts';
import { suggestIndexes } from '../../../src/mongo/indexes/list-shape.ts';
import type { Filter } from '../../../src/mongo/predicate/predicate.ts';
import { alternativesOf, readShape } from '../../support/database/read-filter.ts';

const { fieldTable } = compileModel(
  defineModel('Doc', {
    collection: 'docs',
    fields: {
      ...{ a: t.string(), b: t.int(), c: t.date(), owner: t.string() },
      ...{ tags: t.array(t.string()), labels: t.array(t.string()) },
      hidden: t.string({ index: false }),
    },
  }),
);
const eq = { $eq: 1 };
const range = { $gte: 1, $lt: 5 };
const byId = [['_id', 1]] as const;

describe('readShape()', () => {
  it.each<[string, Filter, readonly (readonly [string, 1 | -1])[], string]>([
    ['a list without a filter', {}, byId, 'sort=id'],
    [
      'operators, and no values',
      { a: { $eq: 'secret' }, b: range },
      [
        ['b', -1],
        ['_id', -1],
      ],
      'a=…, b[gte]=…, b[lt]=…, sort=-b,-id',
    ],
    ['filter and scope of one field', { $and: [{ a: eq }, { a: { $ne: 2 } }] }, byId, 'a=…, a[ne]=…, sort=id'],
    ['a prefix', { a: { $regex: '^x' } }, byId, 'a[prefix]=…, sort=id'],
    ['conditions in any order', { b: { $in: [1] }, a: eq }, byId, 'a=…, b[in]=…, sort=id'],
    ['a value alone, as a middleware may leave it', { a: 'x', b: null, c: new Date() }, byId, 'a=…, b=…, c=…, sort=id'],
  ])('is the same for the same kind of list: %s', (_rule, filter, sort, text) => {
    expect(readShape(filter, new Map(sort), fieldTable)?.text).toBe(text);
  });

  it('leaves out the filter that hides deleted records, and says so', () => {
    const live = { gone: null };
    const of = (filter: Filter) => {
      const { text, isOfLiving } = readShape(filter, new Map(byId), fieldTable, live) ?? {};
      return [text, isOfLiving];
    };
    expect(of({ a: eq, gone: null })).toEqual(['a=…, sort=id', true]);
    expect(of({ $and: [{ gone: { $gte: 1 } }, { gone: null }] })).toEqual(['gone[gte]=…, sort=id', true]);
    expect(of({ constructor: null })).toEqual(['constructor=…, sort=id', false]);
    expect(of({ gone: { $gte: 1 } })).toEqual(['gone[gte]=…, sort=id', false]);
  });

  it.each<[string, Filter]>([
    ['no value that could match', { a: { $in: [] } }],
    ['an operator that only an application of its own can have left', { $where: 'a' }],
    ['such an operator within', { $and: [{ a: 1 }, { $expr: true }] }],
  ])('is none for %s', (_rule, filter) => {
    expect(readShape(filter, new Map(byId), fieldTable)).toBeUndefined();
  });
});

describe('what a filter leaves to an index', () => {
  it('has no negations, and looks into items', () => {
    const filter = { $and: [{ a: eq }, { $nor: [{ b: eq }] }, { lines: { $elemMatch: { $and: [{ sku: eq }, { n: range }] } } }] };
    expect(readShape(filter, new Map(byId), fieldTable)).toMatchObject({ equal: ['a', 'lines.sku'], ranged: ['lines.n'] });
  });

  it('is that of each alternative, with all that stands beside it', () => {
    const filter = { tenant: eq, $and: [{ c: eq }, { $or: [{ a: eq }, { $and: [{ b: eq }, { $or: [{ d: eq }, { e: eq }] }] }] }] };
    const shapes = alternativesOf(filter).map((one) => readShape(one, new Map(byId), fieldTable)?.equal);
    expect(shapes).toEqual([
      ['tenant', 'c', 'a'],
      ['tenant', 'c', 'b'],
    ]);
    expect(alternativesOf({ a: eq })).toEqual([{ a: eq }]);
  });
});

describe('suggestIndexes()', () => {
  it.each<[rule: string, filter: Filter, sort: readonly (readonly [string, 1 | -1])[], expected: string[]]>([
    ['what is equal comes before the id', { a: eq }, byId, ['{ a: 1, _id: 1 }']],
    [
      'what is equal comes before the sort',
      { owner: eq, a: { $in: [1] } },
      [
        ['c', -1],
        ['_id', -1],
      ],
      ['{ owner: 1, a: 1, c: 1, _id: 1 }'],
    ],
    [
      'what is within bounds comes last',
      { a: eq, b: range },
      [
        ['c', 1],
        ['_id', 1],
      ],
      ['{ a: 1, c: 1, _id: 1, b: 1 }'],
    ],
    [
      'bounds of the sort itself are its own',
      { b: range },
      [
        ['b', 1],
        ['_id', 1],
      ],
      ['{ b: 1, _id: 1 }'],
    ],
    ['bounds alone come first', { b: range, a: { $regex: '^x' } }, byId, ['{ b: 1, _id: 1 }']],
    ['bounds behind an equality of a list by id are left to it', { a: eq, b: range }, byId, ['{ a: 1, _id: 1 }']],
    [
      'a sort alone',
      {},
      [
        ['c', -1],
        ['a', 1],
        ['_id', 1],
      ],
      ['{ c: 1, a: -1, _id: -1 }'],
    ],
    [
      'a sort by what is equal is none',
      { a: eq },
      [
        ['a', -1],
        ['_id', -1],
      ],
      ['{ a: 1, _id: 1 }'],
    ],
    ['a field of both an equality and bounds is equal', { a: { $eq: 1, $gt: 0 } }, byId, ['{ a: 1, _id: 1 }']],
    ['one list only', { tags: eq, labels: eq, a: eq }, byId, ['{ tags: 1, a: 1, _id: 1 }']],
    ['negations help nobody', { a: { $ne: 1 }, b: { $exists: true }, c: { $nin: [1] } }, byId, []],
    ['a list of all by id needs none', {}, byId, []],
    [
      'an equality of the id leaves one record',
      { _id: eq, a: eq },
      [
        ['c', 1],
        ['_id', 1],
      ],
      [],
    ],
    ['a field that is not to be indexed is left out', { hidden: eq, a: eq }, byId, ['{ a: 1, _id: 1 }']],
    ['only fields that are not to be indexed', { hidden: eq }, byId, []],
    [
      'a sort that is not to be indexed',
      { a: eq },
      [
        ['hidden', 1],
        ['_id', 1],
      ],
      ['{ a: 1, _id: 1 }'],
    ],
    ['a path that is not a field', { other: eq }, byId, []],
  ])('%s', (_rule, filter, sort, expected) => {
    const shape = readShape(filter, new Map(sort), fieldTable);
    expect(shape && suggestIndexes(shape, fieldTable).map(formatKey)).toEqual(expected);
  });
});
