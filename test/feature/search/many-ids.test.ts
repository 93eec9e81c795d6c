import { ObjectId } from 'mongodb';
import { defineModel, t } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';

const policy = { sort: true } as const;
const Doc = defineModel('Doc', { collection: 'docs', fields: { a: t.int({ policy }), b: t.int({ policy }) } });
const Path = defineModel('Path', { collection: 'paths', fields: { id: t.string(), a: t.int({ policy }), b: t.int({ policy }) } });

const database = useDatabase();
let found: readonly string[] = [];
const server = useApi(database, (shop) => [
  shop.resource({ model: Doc, search: () => found, aggregate: true, export: {} }),
  shop.resource({ model: Path, search: () => found, ops: ['list'] }),
]);
const stored = Array.from({ length: 10_000 }, () => new ObjectId());

beforeAll(async () => {
  await database.db.collection('docs').insertMany(stored.map((_id, index) => ({ _id, a: index % 2, b: index })));
});

describe('as many ids as a search may find', () => {
  it('are looked at, in every order and in every page', async () => {
    found = stored.map(String).reverse();
    const first = await server.request('GET', '/api/docs?q=x&limit=1');
    expect([first.status, first.body.data?.[0].id]).toEqual([200, found[0]]);
    const sorted = await server.request('GET', '/api/docs?q=x&limit=2&sort=-a,b');
    expect(sorted.body.data.map((one: { b: number }) => one.b)).toEqual([1, 3]);
    const { body } = await server.request('GET', `/api/docs?q=x&limit=2&sort=-a,b&after=${sorted.body.page.next_cursor}`);
    expect(body.data.map((one: { b: number }) => one.b)).toEqual([5, 7]);
    expect((await server.request('GET', '/api/docs/aggregate?q=x')).body.data).toEqual([{ count: 10_000 }]);
    const { text } = await server.request('GET', '/api/docs?q=x', { headers: { accept: 'text/csv' } });
    expect(text.split('\r\n')).toHaveLength(10_002);
  });

  it('are fewer than that if they are long: each key of a sort repeats them', async () => {
    found = Array.from({ length: 4_000 }, (_, index) => String(index).padEnd(1_000, 'x'));
    expect((await server.request('GET', '/api/paths?q=x')).status).toBe(200);
    const { status, body } = await server.request('GET', '/api/paths?q=x&sort=a,b');
    expect([status, body.code]).toEqual([422, 'too_many_matches']);
    expect(body.detail).toMatch(/^More than 1395 records match `q`, too many to look at\./);
  });
});
