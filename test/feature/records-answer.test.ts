import { type Document, defineModel, everything, type RecordContext, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    id: t.string({ policy: { insert: true } }),
    title: t.string(),
    owner: t.string({ policy: { insert: false, update: false } }),
    total: t.decimal(),
    secret: t.optional(t.string({ policy: { private: true } })),
    revision: t.revision(),
    deletedAt: t.deletedAt(),
  },
});
const Other = defineModel('Other', { collection: 'others', fields: { id: t.string(), secret: t.optional(t.string()) } });
/** Another model of the same collection. */
const Listed = defineModel('Listed', { collection: 'orders', fields: { id: t.string(), secret: t.optional(t.string()) } });
type OrderDocument = Document<typeof Order>;

const hooked: unknown[] = [];
const returns: Record<string, (ctx: RecordContext) => unknown> = {
  other: async (ctx) => ctx.store(Other, { scope: everything }).find({}),
  listed: async (ctx) => ctx.store(Listed, { scope: everything }).find({}),
  copy: async (ctx) => (await ctx.store(Order).find({})).map((order: OrderDocument) => ({ ...order })),
  one: async (ctx) => (await ctx.store(Order).find({}))[0],
  nothing: () => undefined,
  nothings: () => [undefined],
  text: () => 'x',
  set: () => new Set(),
};
const pages: Record<string, (records: OrderDocument[]) => unknown> = {
  bare: (records) => records,
  none: () => undefined,
  noRecords: () => ({ records: null }),
  missing: () => ({ next: 'x' }),
  number: (records) => ({ records, next: 5 }),
  surrogate: (records) => ({ records, next: '\ud800' }),
  negative: (records) => ({ records, total: -1 }),
  fraction: (records) => ({ records, size: 0.5 }),
  misspelt: (records) => ({ records, nxt: 'a' }),
  copies: (records) => ({ records: records.map((order) => ({ ...order })) }),
};
const failing = (answer: 'records' | 'page', runs: typeof returns) =>
  Object.fromEntries(
    Object.entries(runs).map(([name, handler]) => [
      `${answer}-${name}`,
      { method: 'GET', path: `/${answer}-${name}`, answer, handler: handler as never } as const,
    ]),
  );

const database = useDatabase();
const api = useApi<string>(
  database,
  (shop) => [
    shop.resource({
      model: Order,
      scope: (ctx) => ({ owner: ctx.requirePrincipal() }),
      serverFields: (ctx) => ({ owner: ctx.requirePrincipal() }),
      operations: {
        open: { method: 'GET', path: '/open', answer: 'records', handler: (ctx) => ctx.store(Order).find({}, { sort: ['-title'] }) },
        none: { method: 'GET', path: '/none', answer: 'records', handler: async () => [] },
        same: {
          method: 'GET',
          answer: 'records',
          async handler(ctx) {
            const order = await ctx.load();
            order.title = 'changed in memory';
            return [order, order];
          },
        },
        next: {
          method: 'GET',
          path: '/next',
          query: { after: t.optional(t.string()), limit: t.int({ minimum: 1, maximum: 10, default: 2 }) },
          answer: 'page',
          async handler(ctx) {
            const { after = '', limit } = ctx.typedQuery;
            const found = await ctx.store(Order).find({ id: { gt: after } }, { limit: limit + 1 });
            const records = found.slice(0, limit);
            return { records, size: limit, next: found.length > limit ? (records.at(-1)?.id ?? null) : null, total: 3 };
          },
        },
        empty: { method: 'GET', path: '/empty', answer: 'page', handler: async () => ({ records: [] }) },
        renew: {
          path: '/renew',
          status: 201,
          answer: 'records',
          async handler(ctx) {
            hooked.push('run');
            const orders = ctx.store(Order);
            await orders.updateMany({}, { title: 'renewed' });
            return orders.find({});
          },
        },
        byHand: {
          method: 'GET',
          path: '/byhand',
          answer: 'records',
          async handler(ctx): Promise<undefined> {
            ctx.body = { by: 'hand' };
          },
        },
        ...failing('records', returns),
        ...failing(
          'page',
          Object.fromEntries(
            Object.entries(pages).map(([name, make]) => [name, async (ctx: RecordContext) => make(await ctx.store(Order).find({}))]),
          ),
        ),
      },
      after: { open: [(_ctx, result) => hooked.push(result)], next: [(_ctx, result) => hooked.push(result)] },
    }),
    shop.resource({ model: Other, ops: ['get'] }),
  ],
  {
    authenticate: (ctx) => ctx.get('authorization') || undefined,
    maxPageBytes: 1024,
    idempotency: { principal: (ctx) => String(ctx.principal) },
    batch: true,
  },
);
const as = (authorization: string) => ({ headers: { authorization } });
const get = (path: string, who = 'ann') => api.request('GET', `/api/orders/${path}`, as(who));

beforeEach(async () => {
  hooked.length = 0;
  api.errors.length = 0;
  const orders = database.db.collection<{ _id: string }>('orders');
  await orders.deleteMany({});
  const order = (_id: string, owner: string, more = {}) => ({
    _id,
    title: `title ${_id}`,
    owner,
    total: 1,
    secret: 'zq',
    revision: 0,
    ...more,
  });
  await orders.insertMany([
    order('a', 'ann'),
    order('b', 'ann'),
    order('c', 'ann'),
    order('d', 'ben'),
    order('e', 'ann', { deletedAt: new Date() }),
  ]);
  await database.db.collection<{ _id: string }>('others').deleteMany({});
  await database.db.collection<{ _id: string }>('others').insertOne({ _id: 'o' });
});

const shown = (id: string, title = `title ${id}`, revision = 0) => ({ id, title, owner: 'ann', total: '1', revision });

describe("an operation with `answer: 'records'`", () => {
  it('answers the records of a store as clients read them, without an ETag', async () => {
    const { status, headers, body } = await get('open');
    expect([status, body]).toEqual([200, { data: [shown('c'), shown('b'), shown('a')] }]);
    expect([headers.etag, headers.link, headers['content-type']]).toEqual([undefined, undefined, 'application/json; charset=utf-8']);
    expect(headers['cache-control']).toBe('private, no-cache');
    expect(hooked).toEqual([[expect.objectContaining({ id: 'c', secret: 'zq' }), expect.anything(), expect.anything()]]);
    expect((await get('open', 'ben')).body.data.map(({ id }: { id: string }) => id)).toEqual(['d']);
    expect((await get('none')).body).toEqual({ data: [] });
    expect((await api.request('HEAD', '/api/orders/open', as('ann'))).headers['content-length']).toBe(headers['content-length']);
  });

  it('answers them as they are stored, as often as they were returned', async () => {
    expect((await get('a/same')).body).toEqual({ data: [shown('a'), shown('a')] });
  });

  it.each(Object.keys(returns))('answers 500 to anything else: %s', async (name) => {
    const { status, text } = await get(`records-${name}`);
    expect([status, text.includes('zq')]).toEqual([500, false]);
    expect(api.errors.map(({ message }) => message)[0]).toMatch(/answer: 'records'|returns something/);
  });

  it('keeps a body that the handler has set', async () => {
    expect((await get('byhand')).body).toEqual({ by: 'hand' });
  });

  it('answers more than `maxPageBytes` with 400, but a single record of any size', async () => {
    const orders = database.db.collection<{ _id: string }>('orders');
    await orders.updateOne({ _id: 'a' }, { $set: { title: 'x'.repeat(900) } });
    const { status, body } = await get('open');
    expect([status, body.code, body.detail]).toEqual([
      400,
      'invalid_query',
      'The answer would have more than 1024 bytes: ask for fewer records.',
    ]);
    expect(body.errors).toEqual([
      {
        field: '',
        message: 'leads to an answer of more than 1024 bytes: ask for fewer records',
        rule: 'page_too_large',
        params: { limit: 1024 },
      },
    ]);
    await orders.updateOne({ _id: 'd' }, { $set: { title: 'x'.repeat(2000) } });
    expect((await get('open', 'ben')).status).toBe(200);
    expect(api.errors).toEqual([]);
  });

  it('is kept for an `Idempotency-Key`, and shown again to whom it still concerns', async () => {
    const sent = { headers: { authorization: 'ann', 'idempotency-key': 'k1' } };
    const first = await api.request('POST', '/api/orders/renew', sent);
    expect([first.status, first.headers.location]).toEqual([201, undefined]);
    expect(first.body.data).toEqual(['a', 'b', 'c'].map((id) => shown(id, 'renewed', 1)));
    const again = await api.request('POST', '/api/orders/renew', sent);
    expect([again.status, again.text, hooked]).toEqual([201, first.text, ['run']]);
    await database.db.collection<{ _id: string }>('orders').updateOne({ _id: 'b' }, { $set: { owner: 'ben' } });
    expect((await api.request('POST', '/api/orders/renew', sent)).status).toBe(404);
  });

  it('is an answer in a batch, of which nothing is written if it is too large', async () => {
    const batch = (body: object) => api.request('POST', '/api/batch', { ...as('ann'), body });
    const renew = { method: 'POST', path: '/orders/renew' };
    const { body } = await batch({ operations: [renew] });
    expect(body.data[0].body).toEqual({ data: ['a', 'b', 'c'].map((id) => shown(id, 'renewed', 1)) });
    await database.db
      .collection<{ _id: string }>('orders')
      .insertMany(Array.from({ length: 20 }, (_, index) => ({ _id: `x${index}`, title: 't', owner: 'ann', total: 1, revision: 0 })));
    const refused = await batch({ operations: [renew] });
    expect(refused.status).toBe(400);
    expect(await database.db.collection<{ _id: string }>('orders').countDocuments({ revision: 2 })).toBe(0);
  });
});

describe("an operation with `answer: 'page'`", () => {
  it('answers the page that it returns', async () => {
    const first = await get('next');
    expect([first.status, first.body]).toEqual([
      200,
      { data: [shown('a'), shown('b')], page: { size: 2, has_next: true, next_cursor: 'b', total: 3 } },
    ]);
    const second = await get(`next?after=${first.body.page.next_cursor}&limit=5`);
    expect(second.body).toEqual({ data: [shown('c')], page: { size: 5, has_next: false, next_cursor: null, total: 3 } });
    expect((await get('empty')).body).toEqual({ data: [], page: { size: 0, has_next: false, next_cursor: null } });
    expect(hooked[0]).toMatchObject({ records: [{ id: 'a' }, { id: 'b' }], next: 'b' });
  });

  it.each(Object.keys(pages))('answers 500 to anything else: %s', async (name) => {
    const { status, text } = await get(`page-${name}`);
    expect([status, text.includes('zq')]).toEqual([500, false]);
    expect(api.errors.map(({ message }) => message)[0]).toMatch(/answer: 'page'|returns something/);
  });
});

describe('records that are answered in the process', () => {
  const shop = service();
  const serve = () =>
    shop.api({
      db: database.db,
      resources: [
        shop.resource({
          model: Order,
          ops: ['get'],
          scope: () => ({ owner: 'ann' }),
          operations: {
            open: { method: 'GET', path: '/open', answer: 'records', handler: (ctx) => ctx.store(Order).find({}) },
            next: { method: 'GET', path: '/next', answer: 'page', handler: async (ctx) => ({ records: await ctx.store(Order).find({}) }) },
          },
        }),
      ],
    });

  it.each(['open', 'next'])('have no more bytes than the call allows, and no more than those of the api: %s', async (path) => {
    const api = serve();
    const ask = async (maxPageBytes: number) => api.fetch(new Request(`http://x/orders/${path}`), { maxPageBytes });
    const bytes = Buffer.byteLength(JSON.stringify(((await (await ask(10_000)).json()) as Any).data));
    expect((await ask(bytes)).status).toBe(200);
    const refused = await ask(bytes - 1);
    expect([refused.status, ((await refused.json()) as Any).errors[0].params]).toEqual([400, { limit: bytes - 1 }]);
    await database.db.collection('orders').updateMany({ owner: 'ann' }, { $set: { title: 'x'.repeat(6 * 2 ** 20) } });
    const most = await ask(2 ** 30);
    expect([most.status, ((await most.json()) as Any).errors[0].params]).toEqual([400, { limit: 2 ** 24 }]);
  });
});
