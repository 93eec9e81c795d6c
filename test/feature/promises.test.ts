import { BSON, type Document, ObjectId } from 'mongodb';
import { applyIndexes, defineModel, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { type Answer, type TestServer, useServer } from '../support/http/serve.ts';

/**
 * What docs/about/upgrade-policy.md promises of forms that no compiler sees, because clients and databases have them.
 * What is literal here may change in a major version only, except a cursor: it must still be taken.
 */
const database = useDatabase();
const serve = useServer();

const Customer = defineModel('Customer', {
  collection: 'customers',
  fields: { name: t.string({ policy: { sort: true } }), revision: t.revision() },
});
const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    number: t.string({ unique: true, policy: { sort: true, filter: ['eq', 'prefix'] } }),
    city: t.string({ caseless: true, policy: { sort: true, filter: ['eq'] } }),
    count: t.int(),
    large: t.int64(),
    weight: t.float(),
    total: t.decimal({ policy: { filter: ['gte', 'lt'] } }),
    isPaid: t.boolean(),
    day: t.date(),
    key: t.uuid(),
    bytes: t.binary(),
    status: t.enum(['open', 'sent']),
    shipTo: t.nullable(t.object('Address', { street: t.string(), zip: t.optional(t.string()) })),
    billTo: t.nullable(t.object('Address', { street: t.string(), zip: t.optional(t.string()) })),
    tags: t.array(t.string()),
    prices: t.map(t.decimal()),
    place: t.point(),
    customerId: t.ref('Customer', { as: 'customer', exists: true }),
    revision: t.revision(),
    createdAt: t.createdAt(),
    updatedAt: t.updatedAt(),
    deletedAt: t.deletedAt(),
  },
  history: true,
  outbox: true,
});

const customerIds = ['6b028f53ba2a85d9b9f3d268', '6b028f53ba2a85d9b9f3d269'] as const;
const sent = {
  number: 'A-1',
  city: 'Zürich',
  count: 7,
  large: 7,
  weight: 1.5,
  total: '10.50',
  isPaid: false,
  day: '2026-01-02T03:04:05.678Z',
  key: '6f1d3c1e-0f7c-4b53-9d0b-2f1d6a3f5c11',
  bytes: 'AQID',
  status: 'open',
  shipTo: { street: 'A' },
  billTo: null,
  tags: ['a'],
  prices: { chf: '1.10' },
  place: { type: 'Point', coordinates: [8.5, 47.4] },
  customerId: customerIds[0],
};

let server: TestServer;
let created: Answer;
beforeAll(async () => {
  const shop = service();
  const customers = shop.resource({ model: Customer, ops: ['list'] });
  const orders = shop.resource({ model: Order, ops: ['list', 'get', 'create', 'patch', 'delete'] });
  const api = shop.api({ db: database.db, idempotency: { principal: () => 'ann' }, resources: [customers, orders] });
  await applyIndexes(api);
  const stored = customerIds.map((id, index) => ({ _id: new ObjectId(id), name: `${index}`, revision: 0 }));
  await database.db.collection<Document>('customers').insertMany(stored);
  server = await serve(api.routes());
  created = await server.request('POST', '/orders', { body: sent, headers: { 'idempotency-key': 'a' } });
});

const anId = { $oid: expect.any(String) };
const aDate = { $date: { $numberLong: expect.any(String) } };
const anInt = (value: string) => ({ $numberInt: value });

/** The only document of a collection, with the types of its values. */
async function storedIn(collection: string): Promise<unknown> {
  const documents = await database.db.collection(collection).find({}, { promoteValues: false }).toArray();
  expect(documents).toHaveLength(1);
  return BSON.EJSON.serialize(documents[0] ?? {}, { relaxed: false });
}

describe('what clients see', () => {
  it('is a record with its address and its revision as a strong entity tag', () => {
    const { id, createdAt } = created.body.data;
    expect(created.status).toBe(201);
    expect(created.headers).toMatchObject({ location: `/orders/${id}`, etag: '"0"', 'content-type': 'application/json; charset=utf-8' });
    expect(created.body).toEqual({
      data: { id: expect.stringMatching(/^[0-9a-f]{24}$/), ...sent, revision: 0, createdAt, updatedAt: createdAt },
    });
  });

  it('is a page with its cursors, also in `Link`', async () => {
    const { headers, body } = await server.request('GET', '/customers?sort=name&limit=1');
    const cursor = body.page.next_cursor;
    expect(body).toEqual({
      data: [{ id: customerIds[0], name: '0', revision: 0 }],
      page: { size: 1, has_next: true, next_cursor: expect.stringMatching(/^[\w-]+$/), prev_cursor: null },
    });
    expect(headers.link).toBe(`</customers?sort=name&limit=1&after=${cursor}>; rel="next"`);
  });

  it('takes the cursors of version 0.1', async () => {
    const { status, body } = await server.request(
      'GET',
      '/customers?sort=name&limit=1&after=0uNHbE17J5T8_F5xWzEsInMwIiwib2F3S1BVN29xaGRtNTg5Sm8iXQ',
    );
    expect([status, body.data]).toEqual([200, [{ id: customerIds[1], name: '1', revision: 0 }]]);
  });

  it.each([
    ['GET', '/orders/6b028f53ba2a85d9b9f3d268', {}, { status: 404, title: 'Not Found', code: 'not_found' }],
    [
      'PATCH',
      '',
      { body: { count: 1 }, headers: { 'if-match': '"7"' } },
      { status: 412, title: 'Precondition Failed', code: 'precondition_failed' },
    ],
  ])('is a problem document: %s %s', async (method, path, request, problem) => {
    const { headers, body } = await server.request(method, path || `${created.headers.location}`, request);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(body).toEqual({ type: 'about:blank', detail: expect.any(String), ...problem });
  });

  it('names the fields at fault, and their rules', async () => {
    const { body } = await server.request('POST', '/orders', { body: { ...sent, count: 'x', other: 1 } });
    expect(body).toEqual({
      type: 'urn:problem:koa-mongo-resource:validation_failed',
      title: 'Validation failed',
      status: 422,
      detail: expect.any(String),
      code: 'validation_failed',
      errors: [
        { field: 'other', message: expect.any(String), rule: 'unknown_field' },
        { field: 'count', message: expect.any(String), rule: 'type', params: { type: 'integer' } },
      ],
    });
  });
});

describe('what is stored', () => {
  it('is a record with a type of BSON for each type of field, and the keys that the library needs', async () => {
    expect(await storedIn('orders')).toEqual({
      _id: anId,
      number: 'A-1',
      city: 'Zürich',
      'city[fold2]': 'zurich',
      count: anInt('7'),
      large: { $numberLong: '7' },
      weight: { $numberDouble: '1.5' },
      total: { $numberDecimal: '10.50' },
      isPaid: false,
      day: { $date: { $numberLong: '1767323045678' } },
      key: { $binary: { base64: 'bx08Hg98S1OdCy8daj9cEQ==', subType: '04' } },
      bytes: { $binary: { base64: 'AQID', subType: '00' } },
      status: 'open',
      shipTo: { street: 'A' },
      tags: ['a'],
      prices: { chf: { $numberDecimal: '1.10' } },
      place: { type: 'Point', coordinates: [{ $numberDouble: '8.5' }, { $numberDouble: '47.4' }] },
      customerId: { $oid: customerIds[0] },
      revision: anInt('0'),
      createdAt: aDate,
      updatedAt: aDate,
      _life: anId,
    });
  });

  it('is an entry of the history, an event and the answer to a key', async () => {
    const entry = { record: anId, life: anId, revision: anInt('0'), at: aDate, change: 'created', actor: null, operation: 'create' };
    expect(await storedIn('orders_history')).toEqual({
      _id: anId,
      ...entry,
      paths: expect.arrayContaining(['number', 'createdAt']),
      changes: expect.arrayContaining([{ path: 'total', after: { $numberDecimal: '10.50' } }]),
      private: [],
      refers: { by: expect.any(String), to: [{ $numberLong: expect.any(String) }] },
    });
    const event = { type: 'order.created', model: 'Order', subject: created.body.data.id, collection: 'orders', state: 'pending' };
    expect(await storedIn('events')).toEqual({ _id: anId, ...entry, ...event });
    expect(await storedIn('idempotency_keys')).toEqual({
      _id: expect.any(String),
      request: expect.any(String),
      expiresAt: aDate,
      status: anInt('201'),
      headers: expect.arrayContaining([['etag', '"0"']]),
      body: { $binary: { base64: Buffer.from(created.text).toString('base64'), subType: '00' } },
      shown: expect.any(Array),
      about: [{ $numberLong: expect.any(String) }, { $numberLong: expect.any(String) }],
    });
  });

  it('has collections and indexes with the names that they had', async () => {
    const collections = await database.db.listCollections({}, { nameOnly: true }).toArray();
    const found = await Promise.all(
      collections.map(
        async ({ name }) => [name, (await database.db.collection(name).indexes()).map((index) => index.name).sort()] as const,
      ),
    );
    expect(Object.fromEntries(found)).toEqual({
      customers: ['_id_', 'name_1__id_1'],
      events: ['_id_', 'expiresAt_1', 'record_1_collection_1_life_1_deliveredAt_1_revision_1', 'state_1_dueAt_1__id_1'],
      idempotency_keys: ['_id_', 'about_1', 'expiresAt_1'],
      orders: ['_id_', '_id_1_deletedAt_1', 'city[fold2]_1__id_1', 'deletedAt_1__id_1', 'number_1', 'number_1__id_1', 'total_1__id_1'],
      orders_history: ['_id_', 'record_1_life_1_revision_-1', 'refers.by_1_refers.to_1'],
    });
  });
});
