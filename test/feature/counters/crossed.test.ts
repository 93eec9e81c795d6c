import { type Api, applyIndexes, defineModel, everything, openapiText, Problem, service, t } from '../../../src/index.ts';
import { connect } from '../../products/mcp/connect.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';

const database = useDatabase();
const id = t.string({ policy: { insert: true } });
const Seller = defineModel('Seller', { collection: 'sellers', fields: { id, name: t.string({ default: '' }) } });
const Entry = defineModel('Entry', { collection: 'entries', fields: { of: t.string(), stock: t.int() } });
const Product = defineModel('Product', {
  collection: 'products',
  fields: {
    id,
    name: t.string({ default: 'Pen', caseless: true, policy: { filter: true } }),
    tenant: t.string({ default: '', policy: { insert: false, update: false } }),
    stock: t.counter({ minimum: 0, policy: { filter: true, sort: true, aggregate: true, group: true } }),
    likes: t.counter({ policy: { read: 'staff' } }),
    rank: t.counter({ unique: true, default: () => Math.floor(Math.random() * 1e9), policy: { update: 'staff' } }),
    closed: t.boolean({ default: false }),
    box: t.optional(t.object('Box', { width: t.int(), colour: t.string({ default: 'red' }) })),
    seal: t.optional(t.object('Seal', { colour: t.string({ default: 'red' }) })),
    labels: t.map(t.string(), { merge: true, maxProperties: 1, default: {} }),
    seller: t.optional(t.ref('Seller', { id: t.string(), exists: true })),
    revision: t.revision(),
    updatedAt: t.updatedAt(),
    deletedAt: t.deletedAt(),
  },
  check: ({ stock }) => (stock > 1000 ? [{ field: 'stock', message: 'must fit in' }] : undefined),
});
/** The same records, of which each change is kept. */
const Kept = defineModel('Kept', {
  collection: 'products_kept',
  fields: { id, stock: t.counter({ minimum: 0 }), revision: t.revision(), updatedAt: t.updatedAt() },
  history: true,
  outbox: true,
  maxTimeMS: 30_000,
});

let api: Any;
const seen: unknown[] = [];

beforeAll(async () => {
  const shop = service({
    authenticate: (ctx): string | undefined => ctx.get('authorization') || undefined,
    rules: { staff: (name) => name.includes('staff') },
  });
  const products = shop.resource({
    model: Product,
    ops: ['list', 'get', 'create', 'patch', 'put', 'delete', 'restore'],
    aggregate: true,
    export: {},
    scope: (ctx) => (ctx.principal?.includes('root') ? everything : { tenant: ctx.principal ?? '' }),
    serverFields: {
      create: (ctx) => ({ tenant: ctx.principal ?? '' }),
      update: (ctx) => (ctx.get('x-seller') ? { seller: ctx.get('x-seller'), name: 'SOLD' } : {}),
    },
    guardsFor: { stock: [(ctx) => ctx.get('x-refused') !== 'stock'], change: [(ctx) => ctx.get('x-refused') !== 'change'], patch: [] },
    before: {
      change: [
        (ctx, draft) => {
          if (ctx.get('x-closed')) (draft as Any).closed = true;
          if (ctx.get('x-set')) (draft as Any).stock = 5;
          if (draft) Object.assign(draft as Any, JSON.parse(ctx.get('x-draft') || '{}'));
          if (ctx.get('x-forbid')) throw new Problem({ status: 409, code: 'closed' });
        },
      ],
    },
    within: {
      change: [
        async (ctx, { before, after, tx }) => {
          await tx.store(Entry, { scope: everything }).create({ of: after.id, stock: after.stock });
          seen.push([before.stock, after.stock]);
          if (ctx.get('x-undo')) throw new Problem({ status: 409, code: 'undone' });
        },
      ],
    },
    after: { stock: [(_ctx, product) => void seen.push(product.stock)] },
  });
  api = shop.api({
    db: database.db,
    resources: [products, shop.resource({ model: Kept, ops: ['get', 'patch'], history: true }), shop.resource({ model: Seller })],
    models: [Entry],
    batch: true,
    idempotency: { principal: (ctx) => ctx.principal ?? 'nobody' },
  }) as Api<Any>;
  await applyIndexes(api);
});

const collection = (name: string) => database.db.collection<Any>(name);
beforeEach(async () => {
  for (const name of ['products', 'products_kept', 'products_kept_history', 'events', 'entries', 'sellers', 'idempotency_keys'])
    await collection(name).deleteMany({});
  await collection('products').insertMany([
    { _id: 'pen', name: 'Pen', tenant: 'ann', stock: 10, likes: 1, rank: 1, revision: 4 },
    { _id: 'ink', name: 'Ink', tenant: 'ben', stock: 3, likes: 0, rank: 2, revision: 0 },
  ]);
  await collection('products_kept').insertOne({ _id: 'pen', stock: 3, revision: 0 });
  seen.length = 0;
});

async function ask(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Any> {
  const sent = { authorization: 'ann', ...(body && { 'content-type': 'application/json' }), ...headers };
  const answer = await api.fetch(new Request(`http://shop${path}`, { method, headers: sent, ...(body && { body: JSON.stringify(body) }) }));
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: text.startsWith('{') ? JSON.parse(text) : undefined };
}
const step = (path: string, add: number, headers = {}) => ask('POST', `/products/${path}`, { add }, headers);
const stored = (_id = 'pen') => collection('products').findOne({ _id });

describe('guards and hooks', () => {
  it('of the counter and of the group `change` run, in the transaction of the step where they are within it', async () => {
    expect((await step('pen/stock', -2)).body.data).toMatchObject({ stock: 8, revision: 5 });
    expect(seen).toEqual([[10, 8], 8]);
    expect(await collection('entries').findOne()).toMatchObject({ of: 'pen', stock: 8 });
    for (const refused of ['stock', 'change']) expect((await step('pen/stock', 1, { 'x-refused': refused })).status).toBe(403);
    expect((await ask('PATCH', '/products/pen', { name: 'Quill' }, { 'x-refused': 'stock' })).status).toBe(200);
  });

  it('within the write undo the step by throwing', async () => {
    expect((await step('pen/stock', -2, { 'x-undo': 'yes' })).body).toMatchObject({ status: 409, code: 'undone' });
    expect([await stored(), await collection('entries').countDocuments()]).toMatchObject([{ stock: 10, revision: 4 }, 0]);
  });

  it('before the write add to what it writes, may refuse it, and cannot set the counter', async () => {
    expect((await step('pen/stock', 1, { 'x-closed': 'yes' })).body.data).toMatchObject({ stock: 11, closed: true, revision: 5 });
    expect((await step('pen/stock', 1, { 'x-forbid': 'yes' })).status).toBe(409);
    expect((await step('pen/stock', 1, { 'x-set': 'yes' })).status).toBe(500);
    expect(await stored()).toMatchObject({ stock: 11, revision: 5 });
  });

  it('before the write merge into objects and maps only what a patch would, and each step is one of the revision', async () => {
    const drafted = (draft: object) => step('pen/stock', 1, { 'x-draft': JSON.stringify(draft) });
    expect((await drafted({ box: { colour: 'blue' } })).status).toBe(500); // there is none, and this does not suffice
    expect((await drafted({ labels: { a: '1', b: '2' } })).body.errors).toMatchObject([{ field: 'labels', rule: 'maxProperties' }]);
    expect(await stored()).toEqual({ _id: 'pen', name: 'Pen', tenant: 'ann', stock: 10, likes: 1, rank: 1, revision: 4 });
    expect((await drafted({ labels: { a: '1' } })).body.data).toMatchObject({ stock: 11, labels: { a: '1' }, revision: 5 });
    expect((await drafted({ labels: { b: '2' } })).status).toBe(422);
    expect((await drafted({ seal: {} })).body.data).toMatchObject({ stock: 12, seal: { colour: 'red' }, revision: 6 });
    expect((await drafted({ seal: {} })).body.data).toMatchObject({ stock: 13, revision: 7 });
  });
});

describe('an Idempotency-Key', () => {
  it('counts a step once, also when it comes twice at the same time', async () => {
    const key = { 'idempotency-key': '"k1"' };
    const [first, second] = await Promise.all([step('pen/stock', -3, key), step('pen/stock', -3, key)]);
    expect([first.status, second.status].sort()).toEqual(expect.arrayContaining([200]));
    expect((await step('pen/stock', -3, key)).body).toEqual(first.status === 200 ? first.body : second.body);
    expect(await stored()).toMatchObject({ stock: 7, revision: 5 });
    expect((await step('pen/stock', -4, key)).status).toBe(422);
  });

  it('is free again after a step that was refused', async () => {
    const key = { 'idempotency-key': '"k2"' };
    expect((await step('pen/stock', -11, key)).body.errors[0].field).toBe('stock');
    await collection('products').updateOne({ _id: 'pen' }, { $set: { stock: 20 } });
    expect((await step('pen/stock', -11, key)).body.data.stock).toBe(9);
  });

  it('does not show the answer to one who lost the record, and shows it anew in another view', async () => {
    const key = { 'idempotency-key': '"k3"' };
    await step('pen/stock', -1, key);
    await collection('products').updateOne({ _id: 'pen' }, { $set: { tenant: 'ben' } });
    expect((await step('pen/stock', -1, key)).status).toBe(404);
    expect(await stored()).toMatchObject({ stock: 9 });
  });
});

describe('a batch', () => {
  it('takes steps, all of them or none', async () => {
    const operations = (add: number) => [
      { method: 'POST', path: '/products/pen/stock', body: { add: -1 } },
      { method: 'POST', path: '/products/pen/stock', body: { add } },
    ];
    expect((await ask('POST', '/batch', { operations: operations(-2) })).status).toBe(200);
    expect(await stored()).toMatchObject({ stock: 7, revision: 6 });
    const refused = await ask('POST', '/batch', { operations: operations(-7) });
    expect([refused.status, refused.text.includes('stock')]).toEqual([422, true]);
    expect(await stored()).toMatchObject({ stock: 7, revision: 6 });
  });
});

describe('rows', () => {
  it('of another tenant and deleted ones are as records that never were', async () => {
    const [foreign, none] = [await step('ink/stock', -9), await step('none/stock', -9)];
    expect([foreign.status, foreign.text]).toEqual([404, none.text]);
    await ask('DELETE', '/products/pen');
    expect((await step('pen/stock', -99)).text).toBe(none.text);
    expect((await ask('POST', '/products/pen/restore')).status).toBe(200);
    expect((await step('pen/stock', -1)).body.data.stock).toBe(9);
  });
});

describe('rules', () => {
  it('of `read` hide the counter and its operation, byte for byte', async () => {
    const [hidden, unknown] = [await step('pen/likes', 1), await step('pen/liked', 1)];
    expect([hidden.status, hidden.text]).toEqual([404, unknown.text]);
    expect((await step('pen/likes', 1, { authorization: 'root staff' })).body.data.likes).toBe(2);
    const refused = await step('pen/likes', 1, { 'x-refused': 'change' });
    expect([refused.status, refused.text]).toEqual([404, hidden.text]);
  });

  it('of `update` say who steps it: others get the 422 of a field that they may not write', async () => {
    const { status, body } = await step('pen/rank', 3);
    expect([status, body.errors]).toMatchObject([422, [{ field: 'rank', rule: 'not_writable', params: { operation: 'update' } }]]);
    expect((await step('pen/rank', 3, { authorization: 'root staff' })).body.data.rank).toBe(4);
  });

  it('are told of by the tools and the description of a caller', async () => {
    expect(openapiText(api)).toContain('/products/{id}/stock');
    const names = async (name: string) => {
      const { client } = await connect(api, { headers: { authorization: name }, write: true } as Any);
      return (await client.listTools()).tools.map((tool) => tool.name).filter((tool) => /likes|stock|rank/.test(tool));
    };
    expect([await names('ann'), await names('staff')]).toEqual(
      [
        ['products_stock', 'products_rank', 'kept_stock'],
        ['products_stock', 'products_likes', 'products_rank', 'kept_stock'],
      ].map((all) => all.map((one) => one.replace('kept', 'products_kept'))),
    );
  });
});

describe('unique values, references, texts without case and checks', () => {
  it('hold for what is written together with a step', async () => {
    expect((await step('ink/rank', -1, { authorization: 'root staff' })).body).toMatchObject({
      code: 'duplicate_key',
      errors: [{ field: 'rank' }],
    });
    expect((await step('pen/stock', 1, { 'x-seller': 'nobody' })).status).toBe(500); // a value of the server that leads nowhere
    await collection('sellers').insertOne({ _id: 's', name: 'S' });
    expect((await step('pen/stock', 1, { 'x-seller': 's' })).body.data).toMatchObject({ seller: 's', name: 'SOLD', stock: 11 });
    expect((await ask('GET', '/products?name=sold')).body.data).toHaveLength(1);
    expect((await step('pen/stock', 5000)).body.data.stock).toBe(5011); // `check` is about several fields
  });
});

describe('lists, aggregates and exports', () => {
  it('know the counter as any other number', async () => {
    await step('pen/stock', 2 ** 40);
    const big = 10 + 2 ** 40;
    expect((await ask('GET', '/products?stock[gte]=11&sort=-stock')).body.data).toMatchObject([{ id: 'pen', stock: big }]);
    expect((await ask('GET', '/products/aggregate?sum=stock')).text).toContain(String(big));
    expect((await ask('GET', '/products', undefined, { accept: 'text/csv' })).text).toContain(String(big));
  });
});

describe('a model that keeps its changes', () => {
  it('keeps each step, and loses none of many at once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask('POST', '/products_kept/pen/stock', { add: -1 })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(3);
    expect(await collection('products_kept').findOne({ _id: 'pen' })).toMatchObject({ stock: 0, revision: 3 });
    const { body } = await ask('GET', '/products_kept/pen/history');
    expect(body.data.map(({ revision }: Any) => revision).sort()).toEqual([1, 2, 3]);
    expect(body.data.find(({ revision }: Any) => revision === 3)).toMatchObject({
      change: 'patched',
      changes: [{ path: 'stock', after: 0 }],
    });
    expect(await collection('events').countDocuments({})).toBe(3);
  }, 30_000);
});

it('an agent steps a counter by its tool', async () => {
  const { client } = await connect(api, { headers: { authorization: 'ann' }, write: true } as Any);
  const tool = (await client.listTools()).tools.find(({ name }) => name === 'products_stock');
  expect(tool?.inputSchema.properties).toMatchObject({ body: { properties: { add: { type: 'integer' } } } });
  await client.callTool({ name: 'products_stock', arguments: { id: 'pen', body: { add: -4 } } });
  expect(await stored()).toMatchObject({ stock: 6 });
});
