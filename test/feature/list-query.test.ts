import { METHODS } from 'node:http';
import { cursorPaging, defineModel, openapiDocument, type RequestContext, type Service, service, t } from '../../src/index.ts';
import { compileSchema } from '../openapi/published.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const all = { filter: true, sort: true } as const;

const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    id: t.string({ policy: { insert: true, ...all } }),
    tenant: t.string(),
    status: t.enum(['open', 'paid'], { policy: all }),
    price: t.decimal({ policy: all }),
    count: t.int64({ policy: all }),
    note: t.nullable(t.string({ policy: all })),
    customer: t.optional(t.ref('Customer', { id: t.string(), policy: { filter: true } })),
    deletedAt: t.deletedAt(),
  },
});

const Customer = defineModel('Customer', {
  collection: 'customers',
  fields: { id: t.string({ policy: { insert: true } }), name: t.string({ policy: all }), orders: t.hasMany('Order', { via: 'customer' }) },
});

const seen: string[] = [];
const names: string[] = [];
const ofTenant = (ctx: RequestContext<string>) => ({ tenant: ctx.requirePrincipal() });

const resources = (shop: Service<string>) => [
  shop.resource({
    model: Order,
    ops: ['list', 'get', 'create', 'restore', 'delete'],
    scope: ofTenant,
    fields: true,
    include: ['customer'],
    through: ['customer'],
    paging: cursorPaging({ total: true }),
    deleted: { guards: [(ctx) => ctx.principal === 'boss'] },
    guardsFor: { list: [(ctx) => names.push(ctx.operation?.name ?? '') > 0 && ctx.get('x-shut') === ''], get: [] },
    after: { list: [(_ctx, orders) => void seen.push(orders.map(({ id }) => id).join(' '))] },
  }),
  shop.resource({ model: Customer, nested: ['orders'] }),
];

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const authenticate = (ctx: { get(name: string): string }) => ctx.get('authorization') || undefined;
const api = useApi<string>(database, resources, { authenticate });

beforeAll(async () => {
  const order = (_id: string, tenant: string, more: object) => ({ _id, tenant, status: 'open', price: 1, count: 1, note: null, ...more });
  await database.db
    .collection<{ _id: string }>('orders')
    .insertMany([
      order('o1', 'ann', { customer: 'c1', count: 9007199254740993n, note: 'a, b' }),
      order('o2', 'ann', { status: 'paid', customer: 'c1' }),
      order('o3', 'ann', { status: 'paid' }),
      order('o4', 'ben', {}),
      order('o5', 'boss', {}),
      order('o6', 'boss', { deletedAt: new Date() }),
    ]);
  await database.db.collection<{ _id: string }>('customers').insertOne({ _id: 'c1', name: 'One' } as never);
});

beforeEach(() => {
  seen.length = 0;
  commands.clear();
});

const post = (body: unknown, { path = '/api/orders/query', as = 'ann', headers = {}, method = 'POST' } = {}) =>
  api.request(method, path, { body, headers: { authorization: as, ...headers } });

async function ids(body: unknown, given = {}): Promise<string> {
  const answer = await post(body, given);
  expect([body, answer.status, answer.body.errors]).toEqual([body, 200, undefined]);
  return answer.body.data.map(({ id }: { id: string }) => id).join(' ');
}

describe('POST <list>/query', () => {
  it.each([
    [{}, 'o1 o2 o3'],
    [{ status: 'paid' }, 'o2 o3'],
    [{ 'status[in]': ['paid', 'open'], sort: ['-id'] }, 'o3 o2 o1'],
    [{ sort: ['-status', 'id'] }, 'o2 o3 o1'],
    [{ sort: [], fields: [], include: [] }, 'o1 o2 o3'],
    ['{"count":9007199254740993}', 'o1'],
    [{ 'price[gte]': 1, 'note[exists]': true }, 'o1 o2 o3'],
    [{ 'note[in]': ['a, b'] }, 'o1'],
    [{ 'note[in]': [] }, ''],
    [{ note: null }, 'o2 o3'],
    [{ note: 'null' }, ''],
    [{ 'note[in]': ['a, b', null] }, 'o1 o2 o3'],
    [{ 'note[ne]': null }, 'o1'],
    ['{"price":1.0}', 'o1 o2 o3'],
    [{ filter: 'note = null' }, 'o2 o3'],
    [{ filter: 'customer.name = "One" AND status = "open"' }, 'o1'],
    [{ filter: 'status = "open"', status: 'paid' }, ''],
  ])('%j finds %s', async (body, found) => expect(await ids(body)).toBe(found));

  it('is the list: its guards, scope, hooks and answer, without a Link', async () => {
    const answer = await post({ limit: 1, total: true, fields: ['id'], include: ['customer'] });
    expect(answer.body).toEqual({
      data: [{ id: 'o1', customer: { id: 'c1', name: 'One' } }],
      page: { size: 1, has_next: true, next_cursor: expect.any(String), prev_cursor: null, total: 3 },
    });
    expect(answer.headers).not.toHaveProperty('link');
    expect(answer.headers['cache-control']).toBe('private, no-cache');
    expect(seen).toEqual(['o1']);
    expect(await ids({ limit: 1, after: answer.body.page.next_cursor })).toBe('o2');
    expect((await post({}, { headers: { 'x-shut': 'yes' } })).status).toBe(403);
    expect((await post({}, { as: '' })).status).toBe(401);
    expect(await ids({ filter: 'id = "o1" OR id = "o4"' }, { as: 'ben' })).toBe('o4');
  });

  it('shares its cursors with the list', async () => {
    const { body } = await api.request('GET', '/api/orders?limit=1&sort=-id&filter=status%3D%22paid%22', {
      headers: { authorization: 'ann' },
    });
    expect(await ids({ sort: ['-id'], filter: '(status="paid")', after: body.page.next_cursor })).toBe('o2');
    const second = await api.request('GET', '/api/orders?limit=1&price=1&note=null&count[lt]=5', { headers: { authorization: 'ann' } });
    expect(second.body.page.next_cursor).toBe(null);
    const first = await api.request('GET', '/api/orders?limit=1&price=1&status[in]=paid', { headers: { authorization: 'ann' } });
    expect(await ids({ price: 1, 'status[in]': ['paid'], after: first.body.page.next_cursor })).toBe('o3');
  });

  it('is the list for its guards, too: `ctx.operation` has its name', async () => {
    names.length = 0;
    await post({});
    await post({}, { path: '/api/customers/c1/orders/query' });
    if (METHODS.includes('QUERY')) await post({}, { method: 'QUERY', path: '/api/orders' });
    expect(new Set(names)).toEqual(new Set(['list', 'orders.list']));
  });

  it('leaves the path to a record for other methods', async () => {
    await database.db.collection<{ _id: string }>('orders').insertOne({ _id: 'query', tenant: 'shared' } as never);
    const as = { headers: { authorization: 'shared' } };
    expect((await api.request('GET', '/api/orders/quer%79', as)).body.data.id).toBe('query');
    expect((await api.request('DELETE', '/api/orders/query', as)).status).toBe(204);
    expect((await api.request('GET', '/api/orders/query', as)).status).toBe(404);
  });

  it('compares with numbers that a field could not store', async () => {
    expect(await ids('{"count[lt]":9007199254740994}')).toBe('o1 o2 o3');
    expect(await ids('{"price[lt]":1e30}')).toBe('o1 o2 o3');
    expect((await post('{"count":9223372036854775808}')).status).toBe(422);
  });

  it('shows deleted records to those who may see them', async () => {
    expect(await ids({ deleted: 'only' }, { as: 'boss' })).toBe('o6');
    expect((await post({ deleted: 'only' })).status).toBe(403);
  });

  it('is served below a record', async () => {
    expect(await ids({ status: 'paid' }, { path: '/api/customers/c1/orders/query' })).toBe('o2');
    expect((await post({}, { path: '/api/customers/c9/orders/query' })).status).toBe(404);
  });

  it('takes 400 comparisons, and a body of 64 KiB', async () => {
    const filter = `status = "open" AND NOT (${Array.from({ length: 399 }, (_, index) => `id = "x${index}"`).join(' AND ')})`;
    expect(await ids({ filter })).toBe('o1');
    const tooMany = await post({ filter: `${filter} AND id = "o1"` });
    expect([tooMany.status, tooMany.body.errors[0]]).toEqual([
      400,
      { field: 'filter', rule: 'too_complex', message: 'has more than 400 comparisons', params: { limit: 400 } },
    ]);
    expect((await post({ filter: 'x'.repeat(65_536) })).status).toBe(413);
  });

  it.each([
    [[], '', 'type'],
    ['"x"', '', 'type'],
    [null, '', 'type'],
    [{ status: {} }, 'status', 'parameter_syntax'],
    [{ status: [['open']] }, 'status', 'parameter_syntax'],
    [{ 'a[b][c]': 1 }, 'a[b][c]', 'parameter_syntax'],
    [{ '': 1 }, '', 'parameter_syntax'],
    [{ note: 'a\0' }, 'note', 'nul_character'],
    [{ statsu: 1 }, 'statsu', 'unknown_parameter'],
    [{ note: 5 }, 'note', 'type'],
    [{ note: ['a'] }, 'note', 'type'],
    [{ 'note[in]': 'a' }, 'note[in]', 'type'],
    [{ 'note[in]': ['a', true] }, 'note[in]', 'type'],
    [{ 'note[exists]': 'true' }, 'note[exists]', 'type'],
    [{ 'note[prefix]': 5 }, 'note[prefix]', 'type'],
    [{ 'note[gt]': null }, 'note[gt]', 'not_null'],
    [{ status: null }, 'status', 'not_null'],
    [{ price: true }, 'price', 'type'],
    [{ count: 'five' }, 'count', 'type'],
    [{ limit: '5' }, 'limit', 'type'],
    [{ sort: '-id' }, 'sort', 'type'],
    [{ total: 'true' }, 'total', 'type'],
    [{ total: 'all' }, 'total', 'enum'],
    [{ 'status[in][]': ['paid'] }, 'status[in][]', 'parameter_syntax'],
    [{ tenant: 'ben' }, 'tenant', 'not_filterable'],
    [{ $where: '1' }, '$where', 'unknown_parameter'],
    [{ limit: 0 }, 'limit', 'positive_integer'],
    [{ 'note[in]': Array(1001).fill(1) }, '', 'too_many_parameters'],
  ])('%j is 400', async (body, field, rule) => {
    const answer = await post(body);
    expect([answer.status, answer.body.errors?.[0].field, answer.body.errors?.[0].rule]).toEqual([400, field, rule]);
    expect(commands.events).toEqual([]);
  });

  it('refuses parameters in the URL, and a lone surrogate', async () => {
    const inUrl = await post({}, { path: '/api/orders/query?status=paid' });
    expect([inUrl.status, inUrl.body.errors[0]]).toEqual([400, expect.objectContaining({ field: 'status', rule: 'not_available' })]);
    const [surrogate, proto] = [await post('{"note":"\\ud800"}'), await post('{"__proto__":{"status":"paid"}}')];
    expect([surrogate.status, surrogate.body.errors[0].rule]).toEqual([400, 'unicode']);
    expect([proto.status, proto.body.errors[0].field]).toEqual([400, '__proto__']);
  });

  it('is described, with the parameters of the list as the members of its body', () => {
    const shop = service<string>();
    const document = openapiDocument(shop.api({ db: database.db, prefix: '/api', resources: resources(shop) }));
    const { paths }: Any = document;
    const { schema } = paths['/api/orders/query'].post.requestBody.content['application/json'];
    const names = paths['/api/orders'].get.parameters.map(({ name }: Any) => name);
    const members = names.filter((name: string) => !name.endsWith('[]')); // of several values, JSON has one form
    expect(Object.keys(schema.properties)).toEqual(members.map((name: string) => name.replace('[eq]', '')));
    const fits = compileSchema(document, schema);
    for (const legal of [{ note: null }, { 'note[in]': ['a', null] }, { price: 1 }, { count: 5 }, { total: true }, { sort: [] }])
      expect([legal, fits(legal)]).toEqual([legal, true]);
    for (const wrong of [{ note: 5 }, { 'note[in]': 'a' }, { status: null }, { 'note[gt]': null }, { limit: '5' }, { total: 'true' }])
      expect([wrong, fits(wrong)]).toEqual([wrong, false]);
    expect(paths['/api/customers/{id}/orders/query'].post.requestBody).toBeDefined();
  });
});

(METHODS.includes('QUERY') ? describe : describe.skip)('QUERY <list>', () => {
  it('is the same at the path of the list', async () => {
    expect(await ids({ status: 'paid' }, { method: 'QUERY', path: '/api/orders' })).toBe('o2 o3');
    expect(await ids({ status: 'paid' }, { method: 'QUERY', path: '/api/customers/c1/orders' })).toBe('o2');
  });

  it('is named in Allow and Accept-Query', async () => {
    const shop = service<string>();
    const alone = shop.api({ db: database.db, prefix: '/api', resources: resources(shop) });
    const { headers } = await alone.fetch(new Request('http://localhost/api/orders', { method: 'OPTIONS' }));
    expect([headers.get('allow'), headers.get('accept-query')]).toEqual(['GET, HEAD, POST, QUERY, OPTIONS', 'application/json']);
    const refused = await api.request('PUT', '/api/orders', { body: {} });
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD, POST, QUERY']);
  });
});
