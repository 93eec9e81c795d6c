import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { idsOf, walkList } from '../support/http/walk-list.ts';

const queryable = { filter: true, sort: true } as const;
const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.string({ policy: { sort: true } }),
    n: t.int({ default: 5, policy: queryable }),
    text: t.string({ default: 'm', policy: queryable }),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Doc, ops: ['list'] })]);

beforeAll(async () => {
  await database.db
    .collection<{ _id: string }>('docs')
    .insertMany([
      { _id: 'absent' },
      { _id: 'high', n: 9, text: 'z' },
      { _id: 'like the default', n: 5, text: 'm' },
      { _id: 'low', n: 1, text: 'a' },
    ] as never);
});

async function find(query: string): Promise<string[]> {
  const { status, body } = await api.request('GET', `/api/docs?${query}`);
  expect(status).toBe(200);
  return body.data.map(({ id }: { id: string }) => id);
}

describe('a field that the stored record lacks, and whose default is shown', () => {
  it('is filtered as it is stored', async () => {
    const { body } = await api.request('GET', '/api/docs?n[exists]=false');
    expect(body.data).toEqual([{ id: 'absent', n: 5, text: 'm' }]);
    expect(await find('n=5')).toEqual(['like the default']);
    expect(await find('text=m')).toEqual(['like the default']);
    expect(await find('n[ne]=5&sort=id')).toEqual(['absent', 'high', 'low']);
    expect(await find('n[gte]=1&sort=id')).toEqual(['high', 'like the default', 'low']);
  });

  it.each([
    ['n', ['absent', 'low', 'like the default', 'high']],
    ['-n', ['high', 'like the default', 'low', 'absent']],
    ['text,n', ['absent', 'low', 'like the default', 'high']],
  ])('is sorted as it is stored, and so is its place in a cursor: %s', async (sort, ids) => {
    const { there, back } = await walkList(api, `/api/docs?sort=${sort}&limit=1`);
    expect(idsOf(there)).toEqual(ids);
    expect(idsOf(back)).toEqual(ids);
  });
});
