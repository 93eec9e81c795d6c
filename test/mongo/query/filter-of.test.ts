import { filterOf, isUnasked, operandOf, pathOf } from '../../../src/mongo/predicate/filter-of.ts';
import {
  all,
  anItem,
  aRelated,
  bringing,
  type Comparison,
  compare,
  fulfilling,
  joined,
  not,
  type Predicate,
} from '../../../src/mongo/predicate/predicate.ts';

const comparison = (name: string, operator: Comparison['operator'], value: unknown): Comparison => ({
  field: { name, path: name },
  operator,
  value,
});
const folded = (operator: Comparison['operator'], value: unknown): Comparison => ({
  field: { name: 's', path: 's.folded', caseless: { exactPath: 's', fold: (text) => text.toLowerCase() } },
  operator,
  value,
});
const [a, b] = [compare(comparison('a', 'eq', 1)), compare(comparison('b', 'gt', 2))];
const ofRelated = aRelated({ name: 'r', path: 'rId' }, a) as Predicate;

describe('filterOf()', () => {
  it.each<[Predicate, object]>([
    [{ opaque: 1 }, { opaque: 1 }],
    [a, { a: { $eq: 1 } }],
    [fulfilling([]), {}],
    [all(a, b), { a: { $eq: 1 }, b: { $gt: 2 } }],
    [all(a, compare(comparison('a', 'lt', 9))), { $and: [{ a: { $eq: 1 } }, { a: { $lt: 9 } }] }],
    [joined('and', [a, b]), { $and: [{ a: { $eq: 1 } }, { b: { $gt: 2 } }] }],
    [joined('or', [a, { opaque: 1 }]), { $or: [{ a: { $eq: 1 } }, { opaque: 1 }] }],
    [not(a), { $nor: [{ a: { $eq: 1 } }] }],
    [anItem({ name: 'i', path: 'i' }, b), { i: { $elemMatch: { b: { $gt: 2 } } } }],
    [bringing({ filter: { own: 1 }, comparisons: [] }), { own: 1 }],
    [compare(comparison('a', 'prefix', '')), {}],
    [compare(folded('in', ['AB', 5])), { 's.folded': { $in: ['ab', 5] } }],
    [compare(folded('exists', false)), { s: { $exists: false } }],
  ])('says %#', (predicate, filter) => {
    expect(filterOf(predicate)).toEqual(filter);
  });

  it('has no filter for what related records fulfil', () => {
    expect(() => filterOf(ofRelated)).toThrow('What related records fulfil is planned before it becomes a filter.');
  });
});

describe('the parts of a comparison', () => {
  it('looks at folded texts for their values, and at the field itself for whether it is there', () => {
    expect([pathOf(folded('eq', 'AB')), operandOf(folded('eq', 'AB'))]).toEqual(['s.folded', 'ab']);
    expect([pathOf(folded('exists', 'AB')), operandOf(folded('exists', 'AB'))]).toEqual(['s', 'AB']);
    expect([pathOf(comparison('a', 'exists', true)), operandOf(comparison('a', 'eq', 'AB'))]).toEqual(['a', 'AB']);
  });

  it('is left out where it is an empty prefix, and not where it is another one that every record fulfils', () => {
    expect(isUnasked(comparison('a', 'prefix', ''))).toBe(true);
    expect(isUnasked(comparison('a', 'prefix', 'x'))).toBe(false);
    expect(isUnasked(comparison('a', 'nin', []))).toBe(false);
  });
});
