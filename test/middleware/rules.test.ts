import Router from '@koa/router';
import type Koa from 'koa';
import {
  answer,
  authenticate,
  checkCreate,
  checkPatch,
  compileIncludes,
  compileThrough,
  cursorPaging,
  defineModel,
  fields,
  filterQuery,
  findIncluded,
  findPage,
  findRecord,
  handler,
  ifMatch,
  include,
  insert,
  jsonBody,
  listQuery,
  notModified,
  page,
  problems,
  record,
  records,
  removeMany,
  rules,
  service,
  t,
  update,
} from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';

const staff = { read: 'staff', filter: true, sort: true } as const;
const Customer = defineModel('Customer', {
  collection: 'customers',
  fields: {
    id: t.string({ policy: { insert: true } }),
    name: t.string({ policy: { filter: true } }),
    rating: t.optional(t.string({ policy: staff })),
  },
});
const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    id: t.string({ policy: { insert: true } }),
    title: t.string({ policy: { filter: true } }),
    note: t.optional(t.string({ policy: staff })),
    customer: t.nullable(t.ref('Customer', { id: t.string() })),
    chief: t.optional(t.ref('Customer', { id: t.string(), policy: staff })),
    revision: t.revision(),
  },
});

const database = useDatabase();
const serve = useServer();
let app: TestServer;
let bare: TestServer;

beforeAll(async () => {
  const { db } = database;
  const targets = [{ model: Customer }];
  const includes = compileIncludes(Order, ['customer', 'chief'], { db, targets });
  const through = compileThrough(Order, ['customer', 'chief'], { db, targets });
  const router = new Router<Koa.DefaultState, Koa.DefaultContext>();
  const paging = cursorPaging();
  router.get(
    '/orders',
    listQuery(Order, paging, { fields: true, includes, through }),
    findPage(Order, { db, through }),
    findIncluded(includes),
    page(),
  );
  router.get(
    '/orders/:id',
    include(includes),
    fields(Order, includes),
    notModified(),
    findRecord(Order, { db }),
    findIncluded(includes),
    record(),
  );
  router.post('/orders', jsonBody(), checkCreate(Order), insert(Order, { db }), record({ created: true }));
  router.patch('/orders/:id', jsonBody(), ifMatch(), checkPatch(Order), update(Order, { db }), record());
  router.delete('/orders', filterQuery(Order), removeMany(Order, { db }));
  router.post(
    '/orders/:id/show',
    records(Order, { db }),
    handler(async (ctx) => [ctx.view.shows('note'), await ctx.load()]),
    answer(),
  );
  const known = rules({ staff: async (name: string) => name === 'staff' });
  const whoever = authenticate((ctx) => ctx.get('authorization') || undefined);
  const routes = router.routes() as unknown as Koa.Middleware;
  app = await serve(problems() as Koa.Middleware, whoever as Koa.Middleware, known as Koa.Middleware, routes);
  bare = await serve(problems() as Koa.Middleware, routes);
});

beforeEach(async () => {
  for (const name of ['orders', 'customers']) await database.db.collection(name).deleteMany({});
  await database.db.collection<{ _id: string }>('customers').insertOne({ _id: 'c', name: 'n', rating: 'hidden' } as never);
  await database.db
    .collection<{ _id: string }>('orders')
    .insertOne({ _id: 'a', title: 't', note: 'hidden', customer: 'c', chief: 'c', revision: 0 } as never);
});

type Request = readonly [method: string, path: string, body?: unknown];
const shownToStaff: readonly Request[] = [
  ['GET', '/orders'],
  ['GET', '/orders?note=hidden&sort=note&fields=note'],
  ['GET', '/orders?customer.rating=hidden'],
  ['GET', '/orders?chief.name=n'],
  ['GET', '/orders/a'],
  ['GET', '/orders/a?fields=note'],
  ['GET', '/orders/a?include=customer'],
  ['POST', '/orders/a/show'],
  ['PATCH', '/orders/a', { title: 'u', note: 'hidden' }],
];

describe('the middlewares below `rules`', () => {
  it.each(shownToStaff.map((sent) => [`${sent[0]} ${sent[1]}`, sent] as const))(
    '%s shows and takes what the caller may',
    async (_name, [method, path, body]) => {
      const answer = await app.request(method, path, { headers: { authorization: 'staff' }, ...(body ? { body } : {}) });
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('hidden')]);
    },
  );

  it.each([
    ['for a caller for whom no rule holds', () => app, { authorization: 'anna' }],
    ['for an anonymous caller', () => app, {}],
    ['without `rules` above them', () => bare, {}],
  ] as const)('hide the fields of a rule %s', async (_name, server, headers) => {
    for (const [method, path, body] of shownToStaff) {
      const { status, text } = await server().request(method, path, { headers, ...(body ? { body } : {}) });
      const isRefused = /note=|fields=note|rating|chief|PATCH/.test(`${method} ${path}`);
      expect([path, status]).toEqual([path, isRefused ? (method === 'PATCH' ? 422 : 400) : 200]);
      if (!isRefused) expect(text).not.toMatch(/hidden|"note"|"chief"/); // a refusal repeats what was sent
    }
    expect((await server().request('DELETE', '/orders?note=hidden', { headers })).status).toBe(400);
    expect((await server().request('POST', '/orders', { headers, body: { id: 'b', title: 't', note: 'x' } })).status).toBe(422);
    expect(await database.db.collection('orders').countDocuments()).toBe(1);
  });

  it('show a created and a changed record as the caller sees it', async () => {
    const created = await app.request('POST', '/orders', { headers: { authorization: 'anna' }, body: { id: 'b', title: 't' } });
    expect(created.body.data).toEqual({ id: 'b', title: 't', customer: null, revision: 0 });
    const { body } = await app.request('PATCH', '/orders/a', { headers: { authorization: 'anna' }, body: { title: 'u' } });
    expect(body.data).toEqual({ id: 'a', title: 'u', customer: 'c', revision: 1 });
  });

  it('do not honour `If-None-Match` for a record of which callers see different fields', async () => {
    const { status } = await app.request('GET', '/orders/a', { headers: { authorization: 'staff', 'if-none-match': '"0"' } });
    expect(status).toBe(200);
  });
});

describe('the middlewares in `use` of a custom operation', () => {
  it('follow the rules of the service', async () => {
    const shop = service({ authenticate: (ctx) => ctx.get('authorization'), rules: { staff: (name) => name === 'staff' } });
    const { db } = database;
    const orders = shop.resource({
      model: Order,
      operations: {
        mine: { method: 'GET', path: '/mine', summary: 'List', use: [listQuery(Order, cursorPaging()), findPage(Order, { db }), page()] },
      },
    });
    const server = await serve(shop.api({ db, resources: [orders, shop.resource({ model: Customer })] }).routes());
    const list = async (authorization: string) =>
      (await server.request('GET', '/orders/mine', { headers: { authorization } })).body.data[0].note;
    expect([await list('staff'), await list('anna')]).toEqual(['hidden', undefined]);
    expect((await server.request('GET', '/orders/mine?note=x', { headers: { authorization: 'anna' } })).status).toBe(400);
  });
});

describe('a configuration error refuses', () => {
  it.each([
    ['a rule that needs a record', { staff: (_user: unknown, _record: unknown) => true }, /Rule `staff` of `rules` takes 2 arguments/],
    ['a rule that is no function', { staff: true }, 'Rule `staff` of `rules` must be a function of the principal.'],
    ['a name that no policy can have', { 'a b': () => true }, /`a b` must be made of letters/],
    ['what is no object', undefined, '`rules` of `rules` must be an object with a function for each name.'],
  ] as const)('%s', (_what, given, message) => {
    expect(() => rules(given as never)).toThrow(message);
  });
});
