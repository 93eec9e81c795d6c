import { authenticate, defineModel, everything, guards, jsonBody, service, t } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type TestServer, useServer } from '../../support/http/serve.ts';

const Customer = defineModel('Customer', {
  collection: 'customers',
  fields: { name: t.string(), rating: t.optional(t.string({ policy: { read: 'sales' } })), revision: t.revision() },
});
const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    id: t.string({ policy: { insert: true } }),
    title: t.string({ policy: { filter: true, sort: true } }),
    note: t.optional(t.string({ policy: { read: 'staff', sort: true } })),
    margin: t.optional(t.string({ policy: { read: ['staff', 'finance'], insert: 'finance', update: 'finance' } })),
    customer: t.nullable(t.ref('Customer')),
    revision: t.revision(),
  },
});
const Plain = defineModel('Plain', { collection: 'plain', fields: { text: t.string(), revision: t.revision() } });

const database = useDatabase();
const serve = useServer();
let server: TestServer;
const asked: string[] = [];
let answer: (name: string, rule: string) => unknown = (name, rule) => name.split(' ').includes(rule);
const ask = (rule: string) => (name: string) => {
  asked.push(rule);
  return answer(name, rule) as boolean;
};

beforeAll(async () => {
  const shop = service({
    authenticate: (ctx) => ctx.get('authorization') || undefined,
    rules: { staff: ask('staff'), finance: ask('finance'), sales: ask('sales') },
  });
  const isKnown = (ctx: { readonly principal?: unknown }) => ctx.principal !== 'refused';
  const orders = shop.resource({
    model: Order,
    ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
    guards: [isKnown],
    include: ['customer'],
    operations: {
      shows: {
        method: 'GET',
        summary: 'Tell',
        handler: (ctx) => [ctx.view.shows('note'), ctx.view.shows('title'), ctx.view.shows('nothing')],
      },
      other: {
        summary: 'Answer a record of another model',
        handler: async (ctx) => ctx.store(Customer, { scope: everything }).find({}),
      },
      again: {
        summary: 'Authenticate again',
        use: [authenticate((ctx) => ctx.get('x-other') || undefined)],
        handler: (ctx) => ctx.load(),
      },
      guarded: { use: [jsonBody(), ...Array.from({ length: 5 }, () => guards(() => true))], handler: () => undefined },
      copy: { summary: 'Answer a copy', handler: async (ctx) => ({ ...(await ctx.store(Order).get(ctx.params.id as string)) }) },
    },
  });
  const api = shop.api({
    db: database.db,
    resources: [orders, shop.resource({ model: Customer }), shop.resource({ model: Plain })],
    idempotency: { principal: () => 'one' },
    requestTimeout: 2_000,
  });
  server = await serve(api.routes());
});

beforeEach(async () => {
  for (const name of ['orders', 'customers', 'plain', 'idempotency_keys']) await database.db.collection(name).deleteMany({});
  const { insertedId } = await database.db.collection('customers').insertOne({ name: 'c', rating: 'good', revision: 0 });
  await database.db
    .collection<{ _id: string }>('orders')
    .insertOne({ _id: 'a', title: 't', note: 'n', margin: 'm', customer: insertedId, revision: 0 } as never);
  asked.length = 0;
  server.errors.length = 0;
  answer = (name, rule) => name.split(' ').includes(rule);
});

const request = (method: string, path: string, authorization?: string, more: { body?: unknown; headers?: object } = {}) =>
  server.request(method, path, { ...more, headers: { ...(authorization ? { authorization } : {}), ...more.headers } });

describe('a rule', () => {
  it.each([
    ['GET /orders/a', ['GET', '/orders/a'], ['finance', 'staff']],
    ['GET /orders/a?include=customer', ['GET', '/orders/a?include=customer'], ['finance', 'sales', 'staff']],
    ['a model without rules', ['GET', '/plain'], []],
    ['a delete, which shows nothing', ['DELETE', '/orders/a'], []],
    ['an answer with a record of another model', ['POST', '/orders/a/other'], ['finance', 'sales', 'staff']],
  ] as const)('is asked once, and only if something needs it: %s', async (_name, [method, path], expected) => {
    expect((await request(method, path, 'staff')).status).toBeLessThan(300);
    expect([...asked].sort()).toEqual(expected);
  });

  it('is never asked for an anonymous request', async () => {
    const { body } = await request('GET', '/orders/a');
    expect([Object.keys(body.data), asked]).toEqual([['id', 'title', 'customer', 'revision'], []]);
  });

  it('is not asked if a guard refuses', async () => {
    expect([(await request('GET', '/orders/a', 'refused')).status, asked]).toEqual([403, []]);
  });

  it('is asked below the guards of the resource, whatever guards an operation has further below', async () => {
    answer = () => Promise.reject(new Error('lost'));
    expect((await request('POST', '/orders/a/guarded', 'anna', { body: '{' })).status).toBe(500); // not 400: the body was not read
    answer = () => true;
    expect((await request('POST', '/orders/a/guarded', 'anna', { body: '{' })).status).toBe(400);
    expect((await request('POST', '/orders/a/guarded', 'anna', { body: {} })).status).toBe(204);
  });

  it.each([
    ['1', 1],
    ["'yes'", 'yes'],
    ['undefined', undefined],
    ['a promise of 1', Promise.resolve(1)],
  ])('does not hold if it returns %s', async (_name, returned) => {
    answer = () => returned;
    expect('note' in (await request('GET', '/orders/a', 'anna')).body.data).toBe(false);
  });

  it('may be async', async () => {
    answer = (_name, rule) => Promise.resolve(rule === 'staff');
    expect((await request('GET', '/orders/a', 'anna')).body.data).toMatchObject({ note: 'n', margin: 'm' });
  });

  it.each([
    ['throws', () => Promise.reject(Object.assign(new Error('secret'), { status: 404, expose: true }))],
    [
      'throws at once',
      () => {
        throw Object.assign(new Error('secret'), { status: 404, expose: true });
      },
    ],
  ])('that %s is a bare 500', async (_name, fail) => {
    answer = fail;
    const { status, text } = await request('GET', '/orders/a', 'anna');
    expect([status, text.includes('secret'), server.errors[0]?.message]).toEqual([
      500,
      false,
      expect.stringMatching(/^Rule `(finance|staff)` threw instead of answering\.$/),
    ]);
  });

  it('may return any thenable, and is not lost if another one throws first', async () => {
    // biome-ignore lint/suspicious/noThenProperty: as queries of some libraries have it
    answer = (_name, rule) => (rule === 'staff' ? { then: (done: (yes: boolean) => void) => done(true) } : false);
    expect((await request('GET', '/orders/a', 'anna')).body.data).toMatchObject({ note: 'n' });
    answer = (_name, rule) => {
      if (rule === 'finance') return Promise.reject(new Error('late'));
      throw new Error('early');
    };
    expect((await request('GET', '/orders/a', 'anna')).status).toBe(500);
  });

  it('is not asked of another principal, which an operation finds later: that is a 500', async () => {
    const again = (other: string) => request('POST', '/orders/a/again', 'staff', { headers: { 'x-other': other } });
    expect([(await again('staff')).status, (await again('anna')).status]).toEqual([200, 500]);
  });

  it('that never answers is given up by `requestTimeout`', async () => {
    answer = () => new Promise(() => undefined);
    expect((await request('GET', '/orders/a', 'anna')).status).toBe(503);
  });
});

describe('a handler', () => {
  it('learns from `ctx.view` what its caller sees', async () => {
    expect((await request('GET', '/orders/a/shows', 'finance')).body.data).toEqual([false, true, false]);
    expect((await request('GET', '/orders/a/shows', 'staff')).body.data).toEqual([true, true, false]);
  });

  it('answers the records of other models in the view of its caller', async () => {
    expect((await request('POST', '/orders/a/other', 'staff')).body.data).toEqual([expect.not.objectContaining({ rating: 'good' })]);
    expect((await request('POST', '/orders/a/other', 'sales')).body.data).toEqual([expect.objectContaining({ rating: 'good' })]);
  });

  it('that answers a copy of what its caller does not see is a 500', async () => {
    expect((await request('POST', '/orders/a/copy', 'anna')).status).toBe(500);
    expect((await request('POST', '/orders/a/copy', 'staff')).status).toBe(200);
  });
});

describe('a cursor', () => {
  it('belongs to its view', async () => {
    await database.db.collection<{ _id: string }>('orders').insertOne({ _id: 'b', title: 'u', note: 'z', revision: 0 } as never);
    const { body } = await request('GET', '/orders?limit=1&sort=note', 'staff');
    const cursor = body.page.next_cursor as string;
    expect((await request('GET', `/orders?limit=1&sort=note&after=${cursor}`, 'staff')).status).toBe(200);
    const { body: title } = await request('GET', '/orders?limit=1&sort=title', 'staff');
    const other = await request('GET', `/orders?limit=1&sort=title&after=${title.page.next_cursor}`, 'anna');
    expect([other.status, other.body.code]).toEqual([400, 'invalid_cursor']);
  });
});

describe('conditional requests', () => {
  it('honour `If-None-Match` of GET only on a model that everybody sees alike', async () => {
    const headers = { 'if-none-match': '"0"' };
    expect((await request('GET', '/orders/a', 'staff', { headers })).status).toBe(200);
    expect((await request('HEAD', '/orders/a', 'staff', { headers })).status).toBe(200);
    expect((await request('GET', '/orders/a/shows', 'staff', { headers: { 'if-none-match': '*' } })).status).toBe(200);
    const { body } = await request('POST', '/plain', 'staff', { body: { text: 'x' } });
    expect((await request('GET', `/plain/${body.data.id}`, 'staff', { headers })).status).toBe(304);
  });

  it('compare the revision in `If-Match`, whoever asks', async () => {
    const patch = (tag: string) => request('PATCH', '/orders/a', 'anna', { body: { title: 'u' }, headers: { 'if-match': tag } });
    expect([(await patch('"0"')).status, (await patch('"0"')).status]).toEqual([200, 412]);
  });
});

describe('a kept answer', () => {
  const create = (authorization: string) =>
    request('POST', '/orders', authorization, { body: { id: 'k', title: 'kept' }, headers: { 'idempotency-key': '"k1"' } });

  it('is replayed as it is in the same view', async () => {
    const first = await create('finance');
    await database.db.collection<{ _id: string }>('orders').updateOne({ _id: 'k' }, { $set: { title: 'changed' } });
    expect((await create('finance')).text).toBe(first.text);
  });

  it('is shown anew in another view of the same caller', async () => {
    await create('finance');
    await database.db.collection<{ _id: string }>('orders').updateOne({ _id: 'k' }, { $set: { margin: 'hidden', note: 'n', revision: 4 } });
    const again = await create('anna');
    expect([again.status, again.body.data, again.headers.etag]).toEqual([
      201,
      { id: 'k', title: 'kept', customer: null, revision: 4 },
      '"4"',
    ]);
    expect((await create('staff')).body.data).toMatchObject({ margin: 'hidden', note: 'n' });
  });

  it('that is not one record is not shown in another view', async () => {
    const send = (authorization: string) => request('POST', '/orders/a/other', authorization, { headers: { 'idempotency-key': '"k2"' } });
    expect((await send('sales')).body.data[0].rating).toBe('good');
    const again = await send('anna');
    expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([204, '', 'true']);
  });
});
