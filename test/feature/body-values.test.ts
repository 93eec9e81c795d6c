import { bodyLimit, defineModel, jsonBody, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    name: t.string({ default: '', policy: { filter: true } }),
    data: t.nullable(t.any()),
    prices: t.array(t.decimal(), { default: [] }),
    counts: t.map(t.int(), { default: {} }),
  },
});

const database = useDatabase();
const define = (shop: ReturnType<typeof service<never>>) => [
  shop.resource({
    model: Doc,
    ops: ['create', 'patch', 'put', 'list', 'patchMany'],
    operations: {
      add: { path: '/add', use: [jsonBody()], handler: (ctx) => Object.keys(ctx.request.body as object).length },
      few: { path: '/few', use: [jsonBody({ maxValues: 3 })], handler: () => 'done' },
      less: { path: '/less', use: [bodyLimit(1_000, 1_000, 4), jsonBody()], handler: () => 'done' },
    },
  }),
];
const api = useApi<never>(database, define as never, { batch: true, idempotency: { principal: () => 'ann' } });
const small = useApi<never>(database, define as never, { maxValues: 10, batch: true });

const json = { 'content-type': 'application/json' };
const numbers = (count: number, number = '0') => `[${Array(count).fill(number)}]`;
const send = (method: string, path: string, body: string, headers: object = {}) =>
  api.request(method, `/api${path}`, { body, headers: { ...json, ...headers } });

describe('the values of a body', () => {
  // The body, its array, and one for the value of the outermost object: 24,998 items are 25,000 values.
  it.each([
    ['zeros', numbers(24_998), numbers(24_999)],
    ['exact numbers', numbers(24_998, '9007199254740993'), numbers(24_999, '9007199254740993')],
    ['texts with commas and brackets', numbers(24_998, '"[,{"'), numbers(24_999, '"[,{"')],
    ['arrays, which count as one more', numbers(12_499, '[]'), numbers(12_500, '[]')],
  ])('are 25,000 at most: %s', async (_what, fits, tooMany) => {
    expect((await send('POST', '/docs', `{"data":${fits}}`)).status).toBe(201);
    const { status, body } = await send('POST', '/docs', `{"data":${tooMany}}`);
    expect([status, body.code]).toEqual([413, 'body_too_large']);
    expect(body.detail).toBe('The body may have at most 25000 values, where each array and each object counts as one more.');
  });

  it.each([
    ['POST', '/docs'],
    ['PATCH', '/docs/0123456789abcdef01234567'],
    ['PUT', '/docs/0123456789abcdef01234567'],
    ['PATCH', '/docs?name=none'],
    ['POST', '/docs/add'],
    ['POST', '/batch'],
  ])('are counted before anything reads them: %s %s', async (method, path) => {
    for (const headers of [{}, method === 'PUT' ? {} : { 'idempotency-key': 'k' }])
      expect((await send(method, path, `{"data":${numbers(30_000)}`, headers)).body).toMatchObject({ status: 413, code: 'body_too_large' });
  });

  it('are as many as `maxValues` of the api, of a `jsonBody` or of a `bodyLimit` says', async () => {
    const statusOf = async (path: string, count: number) =>
      (await small.request('POST', `/api/docs${path}`, { body: `{"data":${numbers(count)}}`, headers: json })).status;
    expect(await Promise.all([statusOf('', 8), statusOf('', 9), statusOf('/add', 8), statusOf('/add', 9)])).toEqual([201, 413, 200, 413]);
    expect(await Promise.all([statusOf('/few', 1), statusOf('/few', 2), statusOf('/less', 2), statusOf('/less', 3)])).toEqual([
      200, 413, 200, 413,
    ]);
  });

  it('of the references of a batch count too, and each is put in its place', async () => {
    const refs = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`/data/${n}`, 0]));
    const create = { method: 'POST', path: '/docs', body: {} };
    const { status, body } = await api.request('POST', '/api/batch', {
      body: { operations: [create, { method: 'POST', path: '/docs', body: { data: {} }, refs }] },
    });
    expect(status).toBe(200);
    const [{ body: first }, { body: second }] = body.data;
    expect([Object.keys(second.data.data).length, second.data.data[999]]).toEqual([1_000, first.data.id]);
  });

  it('are not looked at any more when an answer has all errors that it can have', async () => {
    const { body } = await send('POST', '/docs', `{"prices":${numbers(20_000, '"x"')}}`);
    expect([body.status, body.errors.length, body.errors[99].field]).toEqual([422, 100, 'prices.99']);
    const counts = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`k${n}`, 'x']));
    expect((await send('POST', '/docs', JSON.stringify({ counts }))).body.errors).toHaveLength(100);
  });
});

describe('`maxValues`', () => {
  it('must be a number of values', () => {
    expect(() => service().api({ db: database.db, resources: [], maxValues: 0 })).toThrow(/`maxValues`.* must be a whole number of values/);
    expect(() => jsonBody({ maxValues: 1.5 })).toThrow(/`maxValues` of `jsonBody` must be a whole number of values/);
    expect(() => bodyLimit(1, 1, -1)).toThrow(/`maxValues` must be a whole number of values/);
  });
});
