import { ObjectId } from 'mongodb';
import { createShop } from '../../examples/orders/api.ts';
import { applyIndexes, planIndexes } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { send, type TestServer, useServer } from '../support/http/serve.ts';
import { useExamples } from './start-example.ts';

const database = useDatabase();
const serve = useServer();
const start = useExamples();
let shop: TestServer;

beforeAll(async () => {
  await applyIndexes(createShop(database.db));
  shop = await serve(createShop(database.db).routes());
});

it('has the indexes that it needs, and no other', async () => {
  const { collections } = await planIndexes(createShop(database.db));
  expect(collections).toMatchObject(
    ['orders', 'customers'].map((collection) => ({ collection, missing: [], conflicting: [], unused: [], notes: [] })),
  );
  expect(collections[0]?.existing.map(({ existing }) => existing.name)).toContain('owner_1_createdAt_1__id_1');
});

const as = (user: 'ann' | 'bob' | 'root') => ({ authorization: `Bearer ${user}-token` });
const customerId = new ObjectId().toString();
const shipTo = { street: 'Main Street 1', city: 'Springfield' };
let numbers = 0;

/** A new order of Ann's, with what only the staff writes. */
async function placeOrder(): Promise<string> {
  const number = `A-${numbers++}`;
  const { body, headers } = await shop.request('POST', '/api/orders', {
    headers: as('ann'),
    body: { number, total: '12.50', customerId, shipTo },
  });
  await database.db
    .collection('orders')
    .updateOne({ _id: new ObjectId(String(body.data.id)) }, { $set: { internalNote: 'pays late', 'shipTo.verifiedBy': 'carol' } });
  return headers.location as string;
}

describe('who is calling', () => {
  it.each([
    ['no credentials', {}, ''],
    ['another scheme', { authorization: 'Basic YW5uOmFubg==' }, ''],
    ['an unknown token', { authorization: 'Bearer nobody' }, ', error="invalid_token"'],
    ['a token without its scheme', { authorization: 'ann-token' }, ''],
  ])('answers 401 with a challenge that names its realm (RFC 6750 §3) to %s', async (_what, headers, error) => {
    const challenge = `Bearer realm="orders"${error}`;
    const path = await placeOrder();
    for (const [method, target] of [
      ['GET', '/api/orders'],
      ['POST', '/api/orders'],
      ['GET', path],
      ['PATCH', path],
      ['DELETE', path],
      ['GET', '/api/customers'],
    ] as const) {
      const answer = await shop.request(method, target, { headers });
      expect([method, target, answer.status, answer.headers['www-authenticate']]).toEqual([method, target, 401, challenge]);
      expect(answer.headers['content-type']).toBe('application/problem+json');
    }
  });

  it('knows the scheme in any case', async () => {
    expect(await shop.request('GET', '/api/orders', { headers: { authorization: 'bearer ann-token' } })).toMatchObject({ status: 200 });
  });
});

describe('the rows of an owner', () => {
  it('sets the owner by the token, and refuses one that is sent', async () => {
    const { body } = await shop.request('GET', await placeOrder(), { headers: as('ann') });
    expect(body.data).toMatchObject({ owner: 'ann', status: 'open', total: '12.50', revision: 0 });

    const order = { number: 'B-1', total: 1, customerId, owner: 'bob', status: 'paid' };
    const refused = await shop.request('POST', '/api/orders', { headers: as('ann'), body: order });
    expect(refused).toMatchObject({
      status: 422,
      body: {
        errors: [
          { field: 'owner', message: 'cannot be set on create' },
          { field: 'status', message: 'cannot be set on create' },
        ],
      },
    });
  });

  it("answers 404 for another's order, whatever is asked of it", async () => {
    const path = await placeOrder();
    for (const method of ['GET', 'PATCH', 'PUT']) {
      const body = { PATCH: { status: 'paid' }, PUT: { status: 'paid', total: 1, customerId } }[method];
      expect(await shop.request(method, path, { headers: as('bob'), body })).toMatchObject({ status: 404 });
    }
    expect(await shop.request('PATCH', path, { headers: as('ann'), body: { status: 'paid' } })).toMatchObject({ status: 200 });
  });

  it('lists the own orders, and all of them for an admin', async () => {
    const path = await placeOrder();
    const listed = async (user: 'ann' | 'bob' | 'root') => {
      const { body } = await shop.request('GET', '/api/orders?sort=-createdAt&limit=100', { headers: as(user) });
      return body.data.map((order: { id: string }) => `/api/orders/${order.id}`);
    };
    expect(await listed('ann')).toContain(path);
    expect(await listed('root')).toContain(path);
    expect(await listed('bob')).not.toContain(path);
  });

  it('lets an admin delete, and answers 403 to everybody else', async () => {
    const path = await placeOrder();
    expect(await shop.request('DELETE', path, { headers: as('ann') })).toMatchObject({ status: 403 });
    expect(await shop.request('DELETE', path, { headers: as('root') })).toMatchObject({ status: 204 });
    expect(await shop.request('GET', path, { headers: as('ann') })).toMatchObject({ status: 404 });
  });

  it('answers 409 to a number that the owner has used, and not to one that another has', async () => {
    const body = { number: 'twice', total: 1, customerId };
    expect(await shop.request('POST', '/api/orders', { headers: as('ann'), body })).toMatchObject({ status: 201 });
    expect(await shop.request('POST', '/api/orders', { headers: as('bob'), body })).toMatchObject({ status: 201 });
    expect(await shop.request('POST', '/api/orders', { headers: as('ann'), body })).toMatchObject({
      status: 409,
      body: { code: 'duplicate_key' },
    });
  });
});

describe('what only the staff sees', () => {
  it('is in no answer', async () => {
    const path = await placeOrder();
    const answers = [
      await shop.request('GET', path, { headers: as('ann') }),
      await shop.request('GET', '/api/orders', { headers: as('root') }),
      await shop.request('PATCH', path, { headers: as('ann'), body: { status: 'paid' } }),
    ];
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expect(text).not.toMatch(/internalNote|verifiedBy|pays late|carol/);
    }
  });

  it.each(['internalNote=pays+late', 'sort=internalNote', 'shipTo.verifiedBy=carol'])('cannot be asked for by ?%s', async (query) => {
    expect(await shop.request('GET', `/api/orders?${query}`, { headers: as('ann') })).toMatchObject({ status: 400 });
  });

  it('cannot be written, at any depth, and reads like a field that does not exist', async () => {
    const path = await placeOrder();
    const refused = await shop.request('PATCH', path, {
      headers: as('ann'),
      body: { internalNote: 'pays', shipTo: { verifiedBy: 'ann' } },
    });
    expect(refused).toMatchObject({
      status: 422,
      body: {
        errors: [
          { field: 'internalNote', message: 'is not a known field' },
          { field: 'shipTo.verifiedBy', message: 'is not a known field' },
        ],
      },
    });
  });

  it('outlives a patch of what is around it, and keeps it from being cleared', async () => {
    const path = await placeOrder();
    const moved = await shop.request('PATCH', path, { headers: as('ann'), body: { shipTo: { city: 'Shelbyville' } } });
    expect(moved.body.data.shipTo).toEqual({ street: 'Main Street 1', city: 'Shelbyville' });
    const cleared = await shop.request('PATCH', path, { headers: as('ann'), body: { shipTo: null } });
    expect(cleared).toMatchObject({ status: 422, body: { errors: [{ field: 'shipTo' }] } });
    const stored = await database.db.collection('orders').findOne({ _id: new ObjectId(path.split('/').at(-1)) });
    expect(stored?.shipTo).toEqual({ street: 'Main Street 1', city: 'Shelbyville', verifiedBy: 'carol' });
  });
});

describe('a number that never changes', () => {
  it('is refused by a patch, and kept by a put', async () => {
    const path = await placeOrder();
    const before = await shop.request('GET', path, { headers: as('ann') });
    const patched = await shop.request('PATCH', path, { headers: as('ann'), body: { number: 'C-1' } });
    expect(patched).toMatchObject({ status: 422, body: { errors: [{ field: 'number', message: 'cannot be set on update' }] } });
    const put = await shop.request('PUT', path, { headers: as('ann'), body: { total: '99', customerId } });
    expect(put).toMatchObject({ status: 200, body: { data: { number: before.body.data.number, total: '99', revision: 1 } } });
  });
});

describe('the customer of an order', () => {
  it('is added to its id where the client asks for it', async () => {
    const path = await placeOrder();
    const _id = new ObjectId(customerId);
    expect((await shop.request('GET', `${path}?include=customer`, { headers: as('ann') })).body.data).toMatchObject({
      customerId,
      customer: null,
    });
    await database.db.collection('customers').insertOne({ _id, name: 'Duff', email: 'include@example.com', revision: 0 });
    const customer = { id: customerId, name: 'Duff', email: 'include@example.com', revision: 0 };
    for (const target of [path, '/api/orders']) {
      const { status, body } = await shop.request('GET', `${target}?include=customer`, { headers: as('ann') });
      expect([status, [body.data].flat()[0]]).toEqual([200, expect.objectContaining({ customerId, customer })]);
    }
    await database.db.collection('customers').deleteOne({ _id });
  });
});

describe('customers', () => {
  const body = { name: 'Duff & Sons', email: 'duff@example.com' };

  it('are read by everybody with a token, and written by admins who say which version they have seen', async () => {
    expect(await shop.request('POST', '/api/customers', { headers: as('ann'), body })).toMatchObject({ status: 403 });
    const created = await shop.request('POST', '/api/customers', { headers: as('root'), body });
    expect(created).toMatchObject({ status: 201, headers: { etag: '"0"' } });
    const path = created.headers.location as string;
    expect(await shop.request('GET', path, { headers: as('bob') })).toMatchObject({ status: 200, body: { data: body } });

    const rename = (ifMatch?: string) =>
      shop.request('PATCH', path, { headers: { ...as('root'), 'if-match': ifMatch }, body: { name: 'Duff' } });
    expect(await rename()).toMatchObject({ status: 428 });
    expect(await rename('"0"')).toMatchObject({ status: 200, headers: { etag: '"1"' } });
    expect(await rename('"0"')).toMatchObject({ status: 412 });

    const twice = await shop.request('POST', '/api/customers', { headers: as('root'), body });
    expect(twice).toMatchObject({ status: 409, body: { errors: [{ field: 'email', message: 'is already taken' }] } });
    expect(await shop.request('DELETE', path, { headers: { ...as('root'), 'if-match': '"1"' } })).toMatchObject({ status: 204 });
  });

  it('have an address that is one', async () => {
    const answer = await shop.request('POST', '/api/customers', { headers: as('root'), body: { ...body, email: 'duff' } });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: 'email' }] } });
  });
});

describe('the server', () => {
  it('prints its URL and the tokens, and ends with 0', async () => {
    const orders = start('orders/server.ts', { PORT: '0' });
    const url = new URL(await orders.says(/(?<=docs .*)http:[^,\s]+(?=.* ann-token)/));
    expect(await send(Number(url.port), 'GET', url.pathname, { headers: as('bob') })).toMatchObject({ status: 200 });
    expect(await send(Number(url.port), 'GET', url.pathname)).toMatchObject({ status: 401 });
    orders.interrupt();
    expect(await orders.ended).toMatchObject({ code: 0 });
  });
});

describe('the orders of a customer', () => {
  async function addCustomer(name: string): Promise<string> {
    const { body } = await shop.request('POST', '/api/customers', { headers: as('root'), body: { name, email: `${name}@example.org` } });
    return String(body.data.id);
  }
  const order = (id: string, user: 'ann' | 'bob', number: string) =>
    shop.request('POST', `/api/customers/${id}/orders`, { headers: as(user), body: { number, total: '1', shipTo } });

  it('are created below the customer, listed there, included and counted: for everybody their own', async () => {
    const id = await addCustomer('cleo');
    const { status, body, headers } = await order(id, 'ann', 'C-1');
    expect([status, body.data.customerId, headers.location]).toEqual([201, id, `/api/orders/${body.data.id}`]);
    await order(id, 'ann', 'C-2');
    await order(id, 'bob', 'C-3');
    const numbersOf = (orders: readonly { readonly number: string }[]) => orders.map(({ number }) => number);
    const list = await shop.request('GET', `/api/customers/${id}/orders?sort=-number`, { headers: as('ann') });
    expect(numbersOf(list.body.data)).toEqual(['C-2', 'C-1']);
    const { data } = (await shop.request('GET', `/api/customers/${id}?include=orders,orderCount`, { headers: as('ann') })).body;
    expect([numbersOf(data.orders), data.orderCount]).toEqual([['C-2', 'C-1'], 2]);
    const all = (await shop.request('GET', `/api/customers/${id}?include=orderCount`, { headers: as('root') })).body.data;
    expect(all.orderCount).toBe(3);
  });

  it('are 404 for a customer who does not exist', async () => {
    const id = new ObjectId().toString();
    expect((await order(id, 'ann', 'C-9')).status).toBe(404);
    expect((await shop.request('GET', `/api/customers/${id}/orders`, { headers: as('ann') })).status).toBe(404);
  });
});
