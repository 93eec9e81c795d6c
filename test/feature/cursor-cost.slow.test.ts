import type { IndexSpecification } from 'mongodb';
import { cursorPaging, defineModel, t } from '../../src/index.ts';
import { formatCursor } from '../../src/mongo/list/cursor.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useExplain } from '../support/database/explain.ts';
import { useApi } from '../support/http/api.ts';
import { digestOf } from '../support/http/forge-cursor.ts';

const sortable = { policy: { sort: true } } as const;
const sorted = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const fields = {
  id: t.int(sortable),
  owner: t.string({ policy: { filter: ['eq', 'in'] } }),
  ...Object.fromEntries(sorted.map((name) => [name, t.nullable(t.int(), sortable)])),
};

/** The indexes of collections, by their names: none of them has all keys of the sorts below. */
const unfitting: Readonly<Record<string, readonly IndexSpecification[]>> = {
  none: [],
  first: [{ a: 1 }],
  two: [{ a: 1, b: -1 }],
  others: [{ b: 1 }, { c: 1, a: 1 }, { g: 1 }],
  owner: [{ owner: 1 }],
  owner_first: [{ owner: 1, a: 1 }],
  wildcard: [{ '$**': 1 }],
};
const fitting: readonly IndexSpecification[] = [
  { a: 1, b: 1, c: 1, d: 1, _id: 1 },
  { owner: 1, a: 1, b: 1, c: 1, d: 1, _id: 1 },
];
const indexes = { ...unfitting, fitting, unread: [] };
const models = Object.keys(indexes).map((collection) => defineModel(`Of_${collection}`, { collection, fields }));

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const explainLast = useExplain(database, commands);
const api = useApi(database, (shop) => models.map((model) => shop.resource({ model, ops: ['list'], paging: cursorPaging({ size: 10 }) })));

const count = 120;

beforeAll(async () => {
  // Ties in all keys but the last of them: each range of a list has either no record, or all of them.
  const rows = Array.from({ length: count }, (_, n) => ({
    ...Object.fromEntries(sorted.map((name) => [name, name === 'g' ? n : 1])),
    _id: n as never,
    owner: 'ann',
  }));
  for (const [name, specifications] of Object.entries(indexes)) {
    await database.db.collection(name).insertMany(rows);
    for (const index of specifications) await database.db.collection(name).createIndex(index);
  }
});

/** The page behind a record that has one value in all keys: anybody can write such a cursor. */
async function getBehind(path: string, sort: string, filters: Record<string, string>, value: unknown, id: number, parameter: string) {
  const model = models.find(({ collection }) => collection === path) as never;
  const list = digestOf(model, path, sort, filters);
  const cursor = formatCursor(list, { values: [...sort.split(',').map(() => value), id], side: 1 });
  const query = new URLSearchParams({ ...filters, sort, limit: '10', [parameter]: cursor });
  const { status, body } = await api.request('GET', `/api/${path}?${query}`);
  expect(status).toBe(200);
  return body;
}

const noFilter: Record<string, string> = {};
const owned = { owner: 'ann' };
const sorts = ['a', 'a,b', '-a,b', 'a,-b,c', 'a,b,c,d', 'a,b,c,d,e,f,g'];
/** Before all records, among them, behind them, and of other types. */
const values = [0, 1, 2, null, 'x'];

describe('a page by a cursor', () => {
  const cases = Object.keys(unfitting).flatMap((path) =>
    [noFilter, owned].flatMap((filters) => sorts.map((sort) => [path, sort, filters] as const)),
  );
  it.each(cases)(
    'looks at no more records than two first pages, where no index has all keys: `%s` by %s, %j',
    async (path, sort, filters) => {
      const costs: object[] = [];
      for (const value of values)
        for (const id of [-1, count]) {
          for (const parameter of ['after', 'before']) {
            await getBehind(path, sort, filters, value, id, parameter);
            const { documents } = await explainLast();
            if (documents > 2 * count) costs.push({ value, id, parameter, documents });
          }
        }
      expect(costs).toEqual([]);
    },
  );

  it.each(['a,b,c,d', '-a,-b,-c,-d'].flatMap((sort) => ['', 'owner=ann&', 'owner[in]=ann,ben&'].map((filter) => `${filter}sort=${sort}`)))(
    'reads hardly more than it shows, where an index has all keys: %s',
    async (query) => {
      const { body } = await api.request('GET', `/api/fitting?${query}&limit=60`);
      const { body: second } = await api.request('GET', `/api/fitting?${query}&limit=10&after=${body.page.next_cursor}`);
      expect(second.data).toHaveLength(10);
      const { documents, keys } = await explainLast();
      expect(Math.max(documents, keys)).toBeLessThanOrEqual(2 * 10 + 20);
    },
  );
});

describe('the indexes of a collection', () => {
  const read = () => commands.names.filter((name) => name === 'listIndexes').length;

  it('are read once, and only for a page by cursor whose sort has more keys than one and the id', async () => {
    await api.request('GET', '/api/unread?sort=a,b,c');
    await getBehind('unread', 'a', noFilter, 1, 5, 'after');
    expect(read()).toBe(0);
    for (const sort of ['a,b', 'a,b,c', '-a,b']) await getBehind('unread', sort, noFilter, 1, 5, 'after');
    expect(read()).toBe(1);
  });
});
