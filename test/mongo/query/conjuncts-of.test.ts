import { asPredicate, comparisonsOf, conjunctsOf } from '../../../src/mongo/predicate/conjuncts-of.ts';
import {
  all,
  anItem,
  bringing,
  type Comparison,
  compare,
  everyRecord,
  fulfilling,
  joined,
  not,
} from '../../../src/mongo/predicate/predicate.ts';

const comparison = (name: string, operator: Comparison['operator'] = 'eq', value: unknown = 1): Comparison => ({
  field: { name, path: name },
  operator,
  value,
});
const [a, b, c] = ['a', 'b', 'c'].map((name) => comparison(name)) as [Comparison, Comparison, Comparison];
const unasked = comparison('a', 'prefix', '');
const [ofA, ofB, ofC] = [compare(a), compare(b), fulfilling([c])];

describe('partsOf()', () => {
  it('divides what a record fulfils altogether', () => {
    expect(conjunctsOf(all(ofA, joined('and', [ofB, all(ofC, { opaque: 1 })])))).toEqual([
      ofA,
      ofB,
      ofC,
      { kind: 'opaque', filter: { opaque: 1 } },
    ]);
  });

  it.each([joined('or', [ofA, ofB]), not(ofA), anItem({ name: 'a', path: 'a' }, ofB), compare(unasked)])(
    'leaves other nodes whole: %#',
    (one) => {
      expect(conjunctsOf(one)).toEqual([one]);
    },
  );

  it('has none of what every record fulfils', () => {
    expect(conjunctsOf(undefined)).toEqual([]);
    expect(conjunctsOf({})).toEqual([]);
    expect(conjunctsOf(everyRecord)).toEqual([]);
    expect(conjunctsOf(fulfilling([unasked]))).toEqual([]);
    expect(conjunctsOf(fulfilling([unasked, a]))).toEqual([fulfilling([unasked, a])]);
  });

  it('has parts that are predicates again', () => {
    expect(conjunctsOf(all(ofA, { opaque: 1 })).map(asPredicate)).toEqual([ofA, { opaque: 1 }]);
  });
});

describe('comparisonsOf()', () => {
  const of = (...given: Parameters<typeof conjunctsOf>) => conjunctsOf(...given).map(comparisonsOf);

  it('has the comparisons of a record that fulfils the part', () => {
    expect(of(fulfilling([unasked, a, b]))).toEqual([[a, b]]);
    expect(of(ofA)).toEqual([[a]]);
    expect(of(compare(unasked))).toEqual([[]]);
    expect(of(bringing({ filter: { a: 1 }, comparisons: [a] }))).toEqual([[a]]);
  });

  it('has none of alternatives, negations and filters that only the database understands', () => {
    expect(of(joined('or', [ofA]))).toEqual([[]]);
    expect(of(not(ofA))).toEqual([[]]);
    expect(of({ opaque: 1 })).toEqual([[]]);
  });
});
