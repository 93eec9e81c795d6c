import { readExplain } from '../../../src/mongo/indexes/explain.ts';

const whole = { stage: 'IXSCAN', indexBounds: { a: ['[MinKey, MaxKey]'], _id: ['[MaxKey, MinKey]'] } };
const part = { stage: 'IXSCAN', indexBounds: { a: ['["x", "x"]'], _id: ['[MinKey, MaxKey]'] } };
const others = { stage: 'IXSCAN', indexBounds: { a: ['[MinKey, 5)', '(5, MaxKey]'] } };
const read = (winningPlan: object, rejectedPlans?: object[]) =>
  readExplain({
    queryPlanner: { winningPlan, ...(rejectedPlans && { rejectedPlans }) },
    executionStats: { totalDocsExamined: 3, totalKeysExamined: 5, nReturned: 2 },
  });

describe('readExplain()', () => {
  it.each<[plan: string, winningPlan: object, isNarrowed: boolean, isOrdered: boolean]>([
    ['a scan of the collection that is sorted', { stage: 'SORT', inputStage: { stage: 'COLLSCAN' } }, false, false],
    ['a scan of the collection', { stage: 'LIMIT', inputStage: { stage: 'COLLSCAN' } }, false, true],
    ['a whole index', { stage: 'FETCH', filter: { b: 1 }, inputStage: whole }, false, true],
    ['a part of an index', { stage: 'LIMIT', inputStage: { stage: 'FETCH', inputStage: part } }, true, true],
    ['a part of an index that is sorted', { stage: 'FETCH', inputStage: { stage: 'SORT', inputStage: part } }, true, false],
    ['all but one value', { stage: 'FETCH', inputStage: others }, true, true],
    ['several parts that are merged', { stage: 'SORT_MERGE', inputStages: [part, part] }, true, true],
    ['several scans one of which is whole', { stage: 'OR', inputStages: [part, whole] }, false, true],
    ['a record by its id', { stage: 'IDHACK' }, true, true],
    ['the slot-based engine', { queryPlan: { stage: 'SORT', inputStage: { stage: 'COLLSCAN' } }, slotBasedPlan: {} }, false, false],
    [
      'shards',
      { stage: 'SHARD_MERGE', shards: [{ winningPlan: part }, { winningPlan: { stage: 'SORT', inputStage: part } }] },
      true,
      false,
    ],
  ])('knows %s', (_plan, winningPlan, isNarrowed, isOrdered) => {
    expect(read(winningPlan)).toMatchObject({ isEmpty: false, winning: { isNarrowed, isOrdered } });
  });

  it('reads the plans that were not chosen, and what the chosen one cost', () => {
    const explained = read(whole, [{ stage: 'SORT', inputStage: part }]);
    expect(explained).toMatchObject({
      candidates: [{ isNarrowed: false }, { isNarrowed: true, isOrdered: false }],
      examined: 5,
      returned: 2,
    });
  });

  it('knows a collection that is not there', () => {
    expect(read({ stage: 'EOF' }).isEmpty).toBe(true);
  });
});
