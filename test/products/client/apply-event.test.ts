import fc from 'fast-check';
import { applyEvent, type LiveList, type LiveState } from '../../../src/products/client/apply-event.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';

const page = { size: 50, has_next: false };
const list = (...ids: (number | string)[]): LiveList => ({ data: ids.map((id) => ({ id, name: `n${id}` })), page });
const change = (state: LiveState, data: object) => applyEvent(state, 'change', data) as LiveList;
const idsOf = ({ data }: LiveList) => data.map(({ id }) => id);

describe('a list', () => {
  it('is what `page` says', () => {
    expect(applyEvent(undefined, 'page', list(1, 2))).toEqual(list(1, 2));
    expect(applyEvent(list(1, 2), 'page', list(3))).toEqual(list(3));
  });

  it('keeps a changed record in its place, drops removed ones, and appends new ones in their order', () => {
    const put = [
      { id: 5, name: 'five' },
      { id: 2, name: 'two' },
      { id: 4, name: 'four' },
    ];
    const next = change(list(1, 2, 3), { put, remove: [1] });
    expect(idsOf(next)).toEqual([2, 3, 5, 4]);
    expect(next.data[0]).toEqual({ id: 2, name: 'two' });
  });

  it('has the order that a change names', () => {
    expect(idsOf(change(list(1, 2, 3), { put: [{ id: 4 }], remove: [2], order: [4, 3, 1] }))).toEqual([4, 3, 1]);
    expect(idsOf(change(list('a', 'b'), { order: ['b', 'a'] }))).toEqual(['b', 'a']);
  });

  it('tells ids that are numbers from those that are texts', () => {
    expect(idsOf(change(list(1, '1'), { remove: ['1'] }))).toEqual([1]);
  });

  it.each<[string, LiveList, object]>([
    ['an integer beyond 2^53', list(2 ** 53), { remove: [1] }],
    ['a negative one', list(-(2 ** 53)), { remove: [1] }],
    ['one that comes', list(1), { put: [{ id: 2 ** 53 + 2 }] }],
    ['two that are equal', list(1, 1), { put: [{ id: 2 }] }],
  ])('is not changed by ids that may stand for several records: %s', (_what, state, data) => {
    expect(() => change(state, data)).toThrow('cannot be told apart');
  });

  it('is changed by ids that are exact', () => {
    const ids = [2 ** 53 - 1, -(2 ** 53) + 1, 0.5, '9007199254740993'];
    expect(idsOf(change(list(...ids), { remove: [0.5] }))).toEqual(ids.filter((id) => id !== 0.5));
  });

  it('has the page of a change, and keeps it without one', () => {
    const state = list(1);
    expect(change(state, { remove: [1] }).page).toBe(state.page);
    expect(change(state, { page: { ...page, has_next: true } }).page).toEqual({ ...page, has_next: true });
  });

  it('is never changed in place', () => {
    const state = list(1, 2);
    const before = structuredClone(state);
    expect(change(state, { put: [{ id: 1 }], remove: [2], page: { ...page, size: 1 } })).not.toBe(state);
    expect(state).toEqual(before);
  });

  it('keeps the objects of the records that are the same, also over a whole page', () => {
    const state = list(1, 2, 3);
    const [one, , three] = state.data;
    const changed = change(state, { put: [{ id: 2, name: 'two' }] });
    expect([changed.data[0] === one, changed.data[1] === state.data[1], changed.data[2] === three]).toEqual([true, false, true]);
    const replaced = applyEvent(state, 'page', { ...list(3, 1), page: { ...page } }) as LiveList;
    expect([replaced.data[0] === three, replaced.data[1] === one, replaced.page === state.page]).toEqual([true, true, true]);
    expect(applyEvent(state, 'page', list(1, 2, 3))).toBe(state);
    expect(applyEvent(state, 'same', {})).toBe(state);
  });

  it.each([
    ['more records than there are', { order: [1, 2, 3] }],
    ['fewer records than there are', { order: [1] }],
    ['a record that was removed', { remove: [1], order: [1] }],
  ])('refuses an order of %s', (_what, data) => {
    expect(() => change(list(1, 2), data)).toThrow('The order of the list names other records than the list has.');
  });

  it('follows any changes of a list that another program has computed from its states', () => {
    const states = fc.array(fc.uniqueArray(fc.nat(8), { maxLength: 8 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(states, fc.boolean(), (all, always) => {
        let state: LiveState | undefined = applyEvent(undefined, 'page', list());
        let before: readonly number[] = [];
        for (const [version, ids] of all.entries()) {
          const records = ids.map((id) => ({ id, name: `n${id}`, version: id % 3 === 0 ? version : 0 }));
          const old = (state as LiveList).data;
          const put = records.filter((record) => JSON.stringify(old.find(({ id }) => id === record.id)) !== JSON.stringify(record));
          const remove = before.filter((id) => !ids.includes(id));
          const guessed = [...before.filter((id) => ids.includes(id)), ...ids.filter((id) => !before.includes(id))];
          const isGuessed = String(guessed) === String(ids);
          state = applyEvent(state, 'change', { put, remove, ...((always || !isGuessed) && { order: ids }) });
          expect((state as LiveList).data).toEqual(records);
          before = ids;
        }
      }),
      cases(1_000),
    );
  });
});

describe('a record', () => {
  const state = { data: { id: 1, name: 'a' }, etag: '"1"' };

  it('is what `record` says, with its ETag', () => {
    expect(applyEvent(undefined, 'record', state)).toEqual(state);
    expect(applyEvent(state, 'record', { data: { id: 1, name: 'b' }, etag: '"2"' })).toEqual({ data: { id: 1, name: 'b' }, etag: '"2"' });
  });

  it('is null while it is gone, and may come again', () => {
    const gone = applyEvent(state, 'gone', {});
    expect(gone).toEqual({ data: null });
    expect(applyEvent(gone, 'gone', {})).toBe(gone);
    expect(applyEvent(gone, 'record', state)).toEqual(state);
    expect(applyEvent(undefined, 'gone', {})).toEqual({ data: null });
  });

  it('keeps its object if it is the same', () => {
    expect(applyEvent(state, 'record', structuredClone(state))).toBe(state);
    expect(applyEvent(state, 'record', { data: { ...state.data }, etag: '"2"' })?.data).toBe(state.data);
  });
});

describe('any state', () => {
  const states: LiveState[] = [list(1), { data: { id: 1 }, etag: '"1"' }, { data: null }];

  it.each(states)('is kept by `same`: %j', (state) => {
    expect(applyEvent(state, 'same', {})).toBe(state);
  });

  it.each(states)('is not changed by an event that is not known: %j', (state) => {
    expect(applyEvent(state, 'later', { put: [] })).toBeUndefined();
  });
});
