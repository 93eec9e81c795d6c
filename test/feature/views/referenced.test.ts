import { applyIndexes, defineModel, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type TestServer, useServer } from '../../support/http/serve.ts';

const id = t.string({ policy: { insert: true, filter: true } });
const staff = { read: 'staff' } as const;
const Customer = defineModel('Customer', { collection: 'customers', fields: { id, deletedAt: t.deletedAt() } });
const ref = (onDelete: 'restrict' | 'cascade', policy = {}) => t.optional(t.ref('Customer', { id: t.string(), onDelete, policy }));
const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    id,
    customer: ref('restrict'),
    payer: ref('restrict', staff),
    lines: t.array(t.object('Line', { agent: ref('restrict', staff) }), { default: [] }),
    owner: ref('cascade', staff),
    deletedAt: t.deletedAt(),
  },
});
const Note = defineModel('Note', {
  collection: 'notes',
  fields: { id, about: t.optional(t.ref('Customer', { id: t.string(), exists: true, policy: { ...staff, insert: true, update: true } })) },
});

const database = useDatabase();
const serve = useServer();
let server: TestServer;
const records = (name: string) => database.db.collection<Any>(name);

beforeAll(async () => {
  const shop = service({ authenticate: (ctx) => ctx.get('authorization'), rules: { staff: (name) => name === 'staff' } });
  const ops = ['list', 'get', 'create', 'delete', 'deleteMany', 'restore'] as const;
  const customers = shop.resource({
    model: Customer,
    ops,
    operations: { close: { answer: 'none', handler: (ctx: Any) => ctx.store(Customer).remove(ctx.params.id) } },
  });
  const reopen = { answer: 'none', handler: (ctx: Any) => ctx.store(Order).restore(ctx.params.id) } as const;
  const api = shop.api({
    db: database.db,
    batch: true,
    resources: [
      customers,
      shop.resource({ model: Order, ops, operations: { reopen } }),
      shop.resource({ model: Note, ops: ['list', 'patch', 'put', 'patchMany'] }),
    ],
  });
  await applyIndexes(api);
  server = await serve(api.routes());
});

beforeEach(async () => {
  for (const name of ['customers', 'orders']) await records(name).deleteMany({});
  await records('customers').insertOne({ _id: 'c' });
});

async function ask([method, path, body]: readonly [string, string, Any?], authorization: string) {
  const answer = await server.request(method, path, { headers: { authorization }, ...(body && { body }) });
  return answer.body;
}

const unseen = 'It cannot be deleted while it is referred to by other records.';

describe.each([
  ['a delete', ['DELETE', '/customers/c']],
  ['a delete of many', ['DELETE', '/customers?id=c']],
  ['a batch', ['POST', '/batch', { operations: [{ method: 'DELETE', path: '/customers/c' }] }]],
  ['a handler', ['POST', '/customers/c/close']],
] as const)('%s', (_name, request) => {
  it.each([
    ['payer', { payer: 'c' }],
    ['lines.agent', { lines: [{ agent: 'c' }] }],
  ])('that is refused by a reference which the caller does not read names it, and counts, for others only: %s', async (name, order) => {
    await records('orders').insertMany([{ _id: '1', ...order }]);
    expect(await ask(request, 'anna')).toMatchObject({ status: 409, detail: unseen });
    const detail = `It cannot be deleted while it is referred to by \`${name}\` of 1 record of Order.`;
    expect(await ask(request, 'staff')).toMatchObject({ status: 409, detail });
  });

  it('that is refused names what the caller reads', async () => {
    await records('orders').insertMany([{ _id: '1', payer: 'c', customer: 'c' }]);
    const detail = 'It cannot be deleted while it is referred to by `customer` of 1 record of Order.';
    expect(await ask(request, 'anna')).toMatchObject({ status: 409, detail });
  });
});

it.each(['restore', 'reopen'])('a restore names no lost parent by a reference which the caller does not read: %s', async (operation) => {
  await records('orders').insertMany([{ _id: '1', owner: 'lost', deletedAt: new Date() }]);
  const refusal = async (name: string) => (await ask(['POST', `/orders/1/${operation}`], name)).errors.map(({ field }: Any) => field);
  expect([await refusal('anna'), await refusal('staff')]).toEqual([[''], ['owner']]);
});

describe('a client that writes a reference and does not read it', () => {
  const ways = [
    ['PATCH', '/notes/1', (body: object) => body],
    ['PUT', '/notes/1', (body: object) => body],
    ['PATCH', '/notes?id=1', (body: object) => body],
    ['POST', '/batch', (body: object) => ({ operations: [{ method: 'PATCH', path: '/notes/1', body }] })],
  ] as const;

  it.each(ways)('is not told what the record holds, by naming it again: %s %s', async (method, path, bodyOf) => {
    const name = async (about: string, caller: string) => {
      await records('notes').replaceOne({ _id: '1' }, { _id: '1', about: 'lost' }, { upsert: true });
      return (await ask([method, path, bodyOf({ about })], caller)).errors?.map(({ rule }: Any) => rule);
    };
    expect([await name('lost', 'anna'), await name('other', 'anna')]).toEqual([['reference'], ['reference']]);
    expect([await name('lost', 'staff'), await name('other', 'staff')]).toEqual([undefined, ['reference']]);
  });
});
