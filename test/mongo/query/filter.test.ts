import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { defineModel } from '../../../src/model/define/define-model.ts';
import { t } from '../../../src/model/define/t.ts';
import { both, buildFilter } from '../../../src/mongo/predicate/filter-of.ts';
import type { Condition } from '../../../src/mongo/predicate/predicate.ts';

const { scopeFields } = compileModel(
  defineModel('Doc', { collection: 'docs', fields: { s: t.string(), n: t.int(), o: t.object('O', { s: t.string() }) } }),
);
const condition = (name: string, operator: Condition['operator'], value: unknown): Condition => ({
  field: scopeFields.get(name) as Condition['field'],
  operator,
  value,
});

describe('buildFilter()', () => {
  it.each<[Condition[], object]>([
    [[], {}],
    [[condition('s', 'eq', 'x')], { s: { $eq: 'x' } }],
    [[condition('id', 'ne', 'x')], { _id: { $ne: 'x' } }],
    [[condition('o.s', 'in', ['x'])], { 'o.s': { $in: ['x'] } }],
    [[condition('n', 'gte', 1), condition('n', 'lt', 5), condition('s', 'nin', [])], { n: { $gte: 1, $lt: 5 }, s: { $nin: [] } }],
    [[condition('n', 'gt', 1), condition('n', 'lte', 5), condition('n', 'exists', true)], { n: { $gt: 1, $lte: 5, $exists: true } }],
    [[condition('s', 'prefix', 'a.*')], { s: { $regex: '^a\\.\\*' } }],
  ])('says %#', (conditions, filter) => {
    expect(buildFilter(conditions)).toEqual(filter);
  });

  it('keeps a value an operand, whatever it looks like', () => {
    expect(buildFilter([condition('s', 'eq', '$where')])).toEqual({ s: { $eq: '$where' } });
  });
});

describe('both()', () => {
  it.each<[object, object | undefined, object]>([
    [{ a: 1 }, undefined, { a: 1 }],
    [{ a: 1 }, {}, { a: 1 }],
    [{}, { b: 1 }, { b: 1 }],
    [{}, {}, {}],
    [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    [{ a: 1 }, { a: 2 }, { $and: [{ a: 1 }, { a: 2 }] }],
    [{ $expr: 1 }, { $expr: 2, b: 1 }, { $and: [{ $expr: 1 }, { $expr: 2, b: 1 }] }],
    [{ $and: [] }, { $and: [] }, { $and: [{ $and: [] }, { $and: [] }] }],
  ])('holds both, and loses neither: %j and %j', (first, second, filter) => {
    expect(both(first as never, second as never)).toEqual(filter);
  });
});
