import mount from 'koa-mount';
import { cursorPaging, defineModel, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { digestOf, forgeCursor } from '../support/http/forge-cursor.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';

const Row = defineModel('Row', {
  collection: 'rows',
  fields: {
    id: t.int({ policy: { sort: true, filter: true } }),
    group: t.string({ policy: { sort: true, filter: ['eq', 'in', 'prefix'] } }),
    // An object would put this key before the others.
    '7': t.int({ policy: { sort: true } }),
    secret: t.optional(t.string({ policy: { private: true } })),
    revision: t.revision(),
  },
});
// A cursor must not fit another list, whatever they share.
const Other = defineModel('Other', {
  collection: 'rows',
  fields: { id: t.int({ policy: { sort: true } }), group: t.string({ policy: { sort: true } }) },
});

const database = useDatabase();
const api = useApi(database, (shop) => [
  shop.resource({ model: Row, paging: cursorPaging({ total: true }) }),
  shop.resource({ model: Row, path: 'small', paging: cursorPaging({ max: 3 }) }),
  shop.resource({ model: Row, path: 'sized', paging: cursorPaging({ size: 4, max: 6 }) }),
  shop.resource({
    model: Row,
    path: 'scoped',
    paging: cursorPaging({ total: true }),
    scope: (ctx) => ({ group: ctx.get('x-group') || 'b' }),
  }),
  shop.resource({ model: Other, path: 'other' }),
]);
const serve = useServer();

beforeAll(async () => {
  const rows = Array.from({ length: 25 }, (_, id) => ({ _id: id as never, group: 'abc'[id % 3], '7': 25 - id, secret: 'x' }));
  await database.db.collection('rows').insertMany(rows);
});

const list = (path: string, server: TestServer = api) => server.request('GET', `/api/${path}`);
const idsOf = (body: { data: { id: number }[] }) => body.data.map(({ id }) => id);

describe('the page of a list', () => {
  it('has 20 records unless the client says otherwise, and tells its size, whether there is more, and the cursor', async () => {
    const { status, headers, body } = await list('rows');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['data', 'page']);
    expect(body.data).toHaveLength(20);
    expect(body.page).toEqual({ size: 20, has_next: true, next_cursor: expect.stringMatching(/^[\w-]+$/), prev_cursor: null });
    expect(headers).not.toHaveProperty('etag');
    expect(headers).not.toHaveProperty('last-modified');
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body.data[0]).toEqual({ id: 0, group: 'a', '7': 25, revision: 0 });
  });

  it('is the last one without a next cursor and without a Link', async () => {
    const { headers, body } = await list('rows?limit=25');
    expect(body.page).toEqual({ size: 25, has_next: false, next_cursor: null, prev_cursor: null });
    expect(headers).not.toHaveProperty('link');
  });

  it('is empty where nothing matches', async () => {
    const { status, headers, body } = await list('rows?group=z');
    expect([status, body]).toEqual([200, { data: [], page: { size: 20, has_next: false, next_cursor: null, prev_cursor: null } }]);
    expect(headers).not.toHaveProperty('link');
  });

  it.each([
    ['rows?limit=1', 1],
    ['rows?limit=007', 7],
    ['rows?limit=100', 100],
    ['rows?limit=101', 100],
    ['rows?limit=99999999999999999999999', 100],
    ['small', 3],
    ['small?limit=50', 3],
    ['sized', 4],
    ['sized?limit=5', 5],
    ['sized?limit=7', 6],
  ])('clamps a limit above the maximum, and page.size tells: %s', async (path, size) => {
    const { status, body } = await list(path);
    expect([status, body.page.size]).toEqual([200, size]);
    expect(body.data).toHaveLength(Math.min(size, 25));
  });

  it.each([
    ['rows?total=true', 25],
    ['rows?total=true&limit=3', 25],
    ['rows?total=true&group[in]=a,b', 17],
    ['rows?total=true&group=z', 0],
    ['rows?total=false', undefined],
    ['rows', undefined],
    ['scoped?total=true', 8],
    ['scoped?total=true&group=a', 0],
  ])('counts all matches within scope when asked for a total: %s', async (path, total) => {
    const { body } = await list(path);
    expect(body.page.total).toBe(total);
    expect('total' in body.page).toBe(total !== undefined);
  });

  it('counts all matches on a later page too', async () => {
    const first = await list('rows?limit=20&total=true');
    const second = await list(`rows?limit=20&total=true&after=${first.body.page.next_cursor}`);
    expect(second.body.page).toEqual({ size: 20, has_next: false, next_cursor: null, prev_cursor: expect.any(String), total: 25 });
  });
});

describe('sort', () => {
  it.each([
    ['', [0, 1, 2, 3]],
    ['sort=id', [0, 1, 2, 3]],
    ['sort=-id', [24, 23, 22, 21]],
    ['sort=group', [0, 3, 6, 9]],
    ['sort=-group', [23, 20, 17, 14]],
    ['sort=-group,-id', [23, 20, 17, 14]],
    ['sort=group,7', [24, 21, 18, 15]],
    ['sort=group&sort=7', [24, 21, 18, 15]],
    ['sort=-7', [0, 1, 2, 3]],
  ])('orders by its keys in turn, and by the id at last: %s', async (query, ids) => {
    const { body } = await list(`rows?limit=4&${query}`);
    expect(idsOf(body)).toEqual(ids);
  });
});

describe('the Link of a list', () => {
  it("leads to the next page and repeats the client's own query", async () => {
    const { headers, body } = await list('rows?group%5Bprefix%5D=a&sort=-id&limit=2&total=true');
    expect(headers.link).toBe(`</api/rows?group%5Bprefix%5D=a&sort=-id&limit=2&total=true&after=${body.page.next_cursor}>; rel="next"`);
  });

  it('walks the list when it is followed, with one cursor at a time', async () => {
    const seen: number[] = [];
    let path: string | undefined = '/api/rows?limit=10&sort=group';
    while (path) {
      expect(path.split('after=').length).toBeLessThanOrEqual(2);
      const { headers, body } = await api.request('GET', path);
      seen.push(...idsOf(body));
      path = /<([^>]+)>; rel="next"$/.exec(String(headers.link ?? ''))?.[1];
    }
    expect(seen).toHaveLength(25);
    expect(new Set(seen).size).toBe(25);
  });

  it('has the path that the api is really mounted at', async () => {
    const shop = service();
    const inner = shop.api({ db: database.db, prefix: '/v1', resources: [shop.resource({ model: Row })] });
    const { request } = await serve(mount('/outer/deep', inner.routes()));
    const { headers } = await request('GET', '/outer/deep/v1/rows?limit=1');
    expect(headers.link).toMatch(/^<\/outer\/deep\/v1\/rows\?limit=1&after=/);
  });
});

describe('a cursor', () => {
  const cursor = async (path: string): Promise<string> => (await list(path)).body.page.next_cursor;

  it.each([
    ['another resource over the same model', 'rows?limit=1', 'small?limit=1'],
    ['another model over the same collection', 'rows?limit=1', 'other?limit=1'],
    ['another sort', 'rows?limit=1', 'rows?limit=1&sort=group'],
    ['the other direction', 'rows?limit=1&sort=id', 'rows?limit=1&sort=-id'],
    ['another filter', 'rows?limit=1&group=a', 'rows?limit=1&group=b'],
    ['another operator', 'rows?limit=1&group=a', 'rows?limit=1&group[prefix]=a'],
    ['no filter', 'rows?limit=1&group=a', 'rows?limit=1'],
  ])('does not belong to %s', async (_list, from, to) => {
    const { status, headers, body } = await list(`${to}&after=${await cursor(from)}`);
    expect([status, body.code]).toEqual([400, 'invalid_cursor']);
    expect(body).not.toHaveProperty('data');
    expect(headers).not.toHaveProperty('link');
  });

  it('stays valid when the limit, the total, or the order of filters changes', async () => {
    const after = await cursor('rows?limit=1&group=b&id[gte]=0&sort=7');
    const { status, body } = await list(`rows?id[gte]=0&group[eq]=b&limit=2&total=true&sort=7&after=${after}`);
    expect([status, idsOf(body)]).toEqual([200, [19, 16]]);
  });

  it('works across processes and restarts: it holds nothing that only this process knows', async () => {
    const earlier = 'J2FT9yZ6tiWEifynWzEsImYwIl0'; // as another process gave it
    expect(await cursor('rows?limit=1')).toBe(earlier);
    expect(idsOf((await list(`rows?limit=1&after=${earlier}`)).body)).toEqual([1]);
  });

  it('is 400 when it is damaged, empty, given twice, or no cursor', async () => {
    const good = await cursor('rows?limit=1');
    const bad = [
      '',
      'x',
      good.slice(0, -4),
      `${good}AAAA`,
      `x${good}`,
      good.toUpperCase(),
      '%00',
      '5',
      'W10',
      'e30',
      'bnVsbA',
      '%F0%9F%98%80',
    ];
    for (const after of bad) {
      const { status, body } = await list(`rows?limit=1&after=${after}`);
      expect([after, status, body.code]).toEqual([after, 400, after === '%00' ? 'invalid_query' : 'invalid_cursor']);
    }
    expect((await list(`rows?after=${good}&after=${good}`)).status).toBe(400);
    expect(api.errors).toEqual([]);
  });

  it('cannot be forged into a query: what is not a single value is 400, and any value is only compared with', async () => {
    const digest = digestOf(Row, 'rows', 'group');
    const behind = (value: unknown) => list(`rows?limit=1&sort=group&after=${forgeCursor(digest, [1, value, 'f1'])}`);
    expect((await behind('sa')).status).toBe(200);
    expect((await behind('b')).status).toBe(400);
    for (const value of ['f5', 'btrue', 'oASNFZ4mrze8BI0Vn', 'd0', 'n'])
      expect([value, (await behind(value)).status]).toEqual([value, 200]);
    for (const value of [{ $gt: '' }, { $ne: null }, [], ['sa'], 5, true, null, '', 'dx', 'mx', 's\ud800']) {
      const { status, body } = await behind(value);
      expect([value, status, body.code]).toEqual([value, 400, 'invalid_cursor']);
    }
    expect(api.errors).toEqual([]);
  });

  it('works in another process, and after a restart: no api keeps anything of it', async () => {
    const shop = service();
    const other = shop.api({ db: database.db, prefix: '/elsewhere', resources: [shop.resource({ model: Row })] });
    const after = await cursor('rows?limit=3&sort=-group');
    const answer = await other.fetch(new Request(`http://other/elsewhere/rows?limit=3&sort=-group&after=${after}`));
    expect(await answer.json()).toMatchObject({ data: (await list(`rows?limit=3&sort=-group&after=${after}`)).body.data });
  });

  it('grants no rights: scope is applied again on every page', async () => {
    const { body } = await api.request('GET', '/api/scoped?limit=1', { headers: { 'x-group': 'a' } });
    const next = await api.request('GET', `/api/scoped?limit=100&after=${body.page.next_cursor}`, { headers: { 'x-group': 'c' } });
    expect(next.status).toBe(200);
    expect(new Set(next.body.data.map(({ group }: { group: string }) => group))).toEqual(new Set(['c']));
  });

  it('survives the deletion of the record that it came from', async () => {
    await database.db.collection('rows').insertOne({ _id: 1000 as never, group: 'z', '7': 1 });
    await database.db.collection('rows').insertOne({ _id: 1001 as never, group: 'z', '7': 1 });
    const after = await cursor('rows?group=z&limit=1');
    await database.db.collection('rows').deleteOne({ _id: 1000 as never });
    expect(idsOf((await list(`rows?group=z&after=${after}`)).body)).toEqual([1001]);
    await database.db.collection('rows').deleteOne({ _id: 1001 as never });
  });
});
