import { cursorPaging, defineModel, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { type Cost, useExplain } from '../support/database/explain.ts';
import { useApi } from '../support/http/api.ts';

const sort = { policy: { sort: true } } as const;
const Row = defineModel('Row', {
  collection: 'rows',
  fields: {
    id: t.string(sort),
    owner: t.string({ policy: { filter: ['eq', 'in'] } }),
    group: t.nullable(t.string(), sort),
    rank: t.nullable(t.float(), sort),
  },
});

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const explainLast = useExplain(database, commands);
const paging = cursorPaging({ max: 1500 });
const api = useApi(database, (shop) => [
  shop.resource({ model: Row, paging }),
  shop.resource({ model: Row, path: 'scoped', paging, scope: () => ({ owner: 'ann' }) }),
]);

beforeAll(async () => {
  const rows = database.db.collection<{ _id: string; [key: string]: unknown }>('rows');
  // Ties in both keys, and records without a value: what is hardest to page through.
  await rows.insertMany(
    Array.from({ length: 3000 }, (_, n) => ({
      _id: String(n).padStart(4, '0'),
      owner: n % 2 === 0 ? 'ann' : 'ben',
      group: n % 10 === 9 ? null : `g${n % 3}`,
      ...(n % 7 === 0 ? {} : { rank: (n * 31) % 50 }),
    })),
  );
  await rows.createIndexes([
    { key: { group: 1, rank: 1, _id: 1 } },
    { key: { group: 1, rank: -1, _id: -1 } },
    { key: { owner: 1, group: 1, rank: 1, _id: 1 } },
  ]);
});

const limit = 20;

describe('the cost of a page by key', () => {
  it.each([
    ['rows', ''],
    ['rows', 'sort=-id'],
    ['rows', 'sort=id,-group,rank'],
    ['rows', 'sort=group,rank'],
    ['rows', 'sort=-group,-rank'],
    ['rows', 'sort=group,-rank'],
    ['rows', 'sort=-group,rank'],
    ['rows', 'owner=ann&sort=group,rank'],
    ['rows', 'owner=ben&sort=-group,-rank'],
    ['rows', 'owner[in]=ann,ben&sort=group,rank'],
    ['scoped', 'sort=group,rank'],
    ['scoped', 'sort=-group,-rank'],
  ])('is that of the first page wherever it lies, by the index and without a sort: %s?%s', async (path, query) => {
    const first = await api.request('GET', `/api/${path}?${query}&limit=${limit}`);
    expect(first.status).toBe(200);
    const costs = [await explainLast()];
    // Among records without a value, right behind them, and deep among ties.
    for (const skipped of [120, 320, 700, 1400]) {
      const { body } = await api.request('GET', `/api/${path}?${query}&limit=${skipped}`);
      for (const parameter of ['after', 'before']) {
        const { status, body: page } = await api.request(
          'GET',
          `/api/${path}?${query}&limit=${limit}&${parameter}=${body.page.next_cursor}`,
        );
        expect([status, page.data.length]).toEqual([200, limit]);
        costs.push(await explainLast());
      }
    }
    for (const { stages, keys, documents } of costs) {
      expect([...stages]).toContain('IXSCAN');
      expect([...stages]).not.toContain('SORT');
      expect([...stages]).not.toContain('COLLSCAN');
      // One key of each range may be read in vain; a record without a value is looked at to tell null from missing.
      expect(keys).toBeLessThanOrEqual(2 * limit + 20);
      expect(documents).toBeLessThanOrEqual(2 * limit + 20);
    }
  });

  it('does not grow: page 1,000 reads as many keys as page 2, in both directions', async () => {
    const query = '/api/rows?sort=group,rank';
    const costs: Cost[] = [];
    // Two long pages lead to the same cursor as 999 short ones: it is the last record that it holds.
    for (const lengths of [[2], [1000, 998]]) {
      let cursor = '';
      for (const length of lengths) {
        const { body } = await api.request('GET', `${query}&limit=${length}${cursor}`);
        cursor = `&after=${body.page.next_cursor}`;
      }
      const { body } = await api.request('GET', `${query}&limit=2${cursor}`);
      costs.push(await explainLast());
      await api.request('GET', `${query}&limit=2&before=${body.page.prev_cursor}`);
      costs.push(await explainLast());
    }
    expect(costs).toHaveLength(4);
    // In each of the two ranges one key may be read in vain, and one at a gap between types.
    for (const { keys, documents } of costs) expect(Math.max(keys, documents)).toBeLessThanOrEqual(2 + 1 + 2 * 2);
  });

  it.each(['sort=group,rank', 'sort=-group,-rank', 'sort=group,-rank'])('is that of the first page at the end, too: %s', async (query) => {
    const { body } = await api.request('GET', `/api/rows?${query}&limit=1500`);
    const { body: second } = await api.request('GET', `/api/rows?${query}&limit=1495&after=${body.page.next_cursor}`);
    const { body: last } = await api.request('GET', `/api/rows?${query}&limit=${limit}&after=${second.page.next_cursor}`);
    expect([last.data.length, last.page.has_next]).toEqual([5, false]);
    const { stages, keys } = await explainLast();
    expect([...stages]).not.toContain('COLLSCAN');
    // All ranges were looked through, and in them the gaps between types.
    expect(keys).toBeLessThanOrEqual(limit + 40);
  });

  it('is one batch: no page of any size needs a second command', async () => {
    const { body } = await api.request('GET', '/api/rows?sort=group,rank&limit=1500');
    await api.request('GET', `/api/rows?sort=group,rank&limit=1400&after=${body.page.next_cursor}`);
    expect(commands.names.filter((name) => name !== 'listIndexes')).toEqual(['find', 'aggregate']);
  });
});
