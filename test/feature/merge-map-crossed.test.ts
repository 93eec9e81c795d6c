import { type Api, applyIndexes, applyValidators, defineModel, everything, Problem, service, t } from '../../src/index.ts';
import { connect } from '../products/mcp/connect.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { LiveStream } from '../support/http/live-stream.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';

const database = useDatabase();
const serve = useServer();
const id = t.string({ policy: { insert: true } });
const Price = t.object('Price', { amount: t.decimal(), cost: t.optional(t.decimal({ policy: { read: 'staff', update: 'staff' } })) });
const Log = defineModel('Log', { collection: 'logs', fields: { of: t.string(), before: t.any(), after: t.any() } });
const Product = defineModel('Product', {
  collection: 'products',
  fields: {
    id,
    labels: t.map(t.string(), {
      merge: true,
      default: {},
      stored: 'lbl',
      maxProperties: 4,
      filterKeys: ['colour'],
      policy: { filter: ['eq', 'ne'] },
    }),
    prices: t.map(Price, { merge: true, default: {} }),
    secret: t.map(t.string(), { merge: true, default: {}, policy: { read: 'staff' } }),
    n: t.int({ default: 1, policy: { sort: true, aggregate: true } }),
    revision: t.revision(),
    deletedAt: t.deletedAt(),
  },
  history: true,
  outbox: true,
  maxTimeMS: 30_000,
});
const Item = defineModel('Item', {
  collection: 'items',
  fields: {
    id,
    open: t.map(t.string(), { merge: true, default: {}, policy: { insert: true, update: true } }),
    shut: t.map(t.string(), { merge: true, default: {} }),
  },
});

let api: Any;
let server: TestServer;
beforeAll(async () => {
  const shop = service({
    authenticate: (ctx): string | undefined => ctx.get('authorization') || undefined,
    rules: { staff: (name) => name === 'staff' },
  });
  const products = shop.resource({
    model: Product,
    ops: ['list', 'get', 'create', 'patch', 'put', 'delete', 'restore'],
    aggregate: true,
    history: true,
    live: true,
    within: {
      change: [
        async (ctx, { before, after, tx }) => {
          await tx.store(Log, { scope: everything }).create({ of: after.id, before: before.labels, after: after.labels });
          if (ctx.get('x-undo')) throw new Problem({ status: 409, code: 'undone' });
        },
      ],
    },
  });
  api = shop.api({
    db: database.db,
    resources: [products, shop.resource({ model: Item, ops: ['get', 'patch'], explicitWrites: true })],
    models: [Log],
    batch: true,
    idempotency: { principal: (ctx) => ctx.principal ?? 'nobody' },
  });
  await applyIndexes(api);
  await applyValidators(api);
  server = await serve((api as Api).routes());
});

const collection = (name: string) => database.db.collection<Any>(name);
const streams: LiveStream[] = [];
beforeEach(async () => {
  for (const name of ['products', 'products_history', 'events', 'logs', 'items', 'idempotency_keys']) await collection(name).deleteMany({});
  await ask('POST', '/products', { id: 'a', labels: { colour: 'red', size: 'L' }, prices: { eur: { amount: '1' } } });
});
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
});

async function ask(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Any> {
  const sent = { authorization: 'ann', ...(body && { 'content-type': 'application/json' }), ...headers };
  const answer = await api.fetch(new Request(`http://shop${path}`, { method, headers: sent, ...(body && { body: JSON.stringify(body) }) }));
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: text.startsWith('{') ? JSON.parse(text) : undefined };
}
const patch = (body: object, headers?: Record<string, string>) => ask('PATCH', '/products/a', body, headers);
const stored = () => collection('products').findOne({ _id: 'a' });

describe('a patch that merges keys', () => {
  it('is one change of the history, with the map as it was and is, and one event, and loses none of many at once', async () => {
    const answers = await Promise.all(['x', 'y'].map((key) => patch({ labels: { [key]: key } })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await patch({ labels: { size: null } });
    const { data } = (await ask('GET', '/products/a/history')).body;
    expect(data.find(({ revision }: Any) => revision === 3).changes).toEqual([
      { path: 'labels', before: { colour: 'red', size: 'L', x: 'x', y: 'y' }, after: { colour: 'red', x: 'x', y: 'y' } },
    ]);
    expect((await ask('GET', '/products/a?at=0')).body.data.labels).toEqual({ colour: 'red', size: 'L' });
    expect(await collection('events').countDocuments({})).toBe(4);
  }, 30_000);

  it('is undone with its transaction, whose hooks see the whole record before and after', async () => {
    expect((await patch({ labels: { b: '1', size: null } }, { 'x-undo': 'yes' })).status).toBe(409);
    expect(await stored()).toMatchObject({ lbl: { colour: 'red', size: 'L' }, revision: 0 });
    await patch({ labels: { b: '1', size: null } });
    expect(await collection('logs').findOne()).toMatchObject({ before: { colour: 'red', size: 'L' }, after: { colour: 'red', b: '1' } });
  });

  it('is all or nothing in a batch, whose members see each other', async () => {
    const batch = (...bodies: object[]) =>
      ask('POST', '/batch', { operations: bodies.map((body) => ({ method: 'PATCH', path: '/products/a', body })) });
    expect((await batch({ labels: { b: '1' } }, { labels: { b: null, c: '2' } })).status).toBe(200);
    expect((await stored()).lbl).toEqual({ colour: 'red', size: 'L', c: '2' });
    const refused = await batch({ labels: { c: null } }, { labels: { d: '1', e: '2', f: '3' } });
    expect([refused.status, refused.text.includes('maxProperties')]).toEqual([422, true]);
    expect((await stored()).lbl).toEqual({ colour: 'red', size: 'L', c: '2' });
  });

  it('counts once with an Idempotency-Key, also after another patch of the same key', async () => {
    const key = { 'idempotency-key': '"k"' };
    await patch({ labels: { b: '1' } }, key);
    await patch({ labels: { b: '2' } });
    expect((await patch({ labels: { b: '1' } }, key)).body.data).toMatchObject({ labels: { b: '1' }, revision: 1 });
    expect((await stored()).lbl.b).toBe('2');
  });

  it('reaches no deleted record, and merges into one that was restored', async () => {
    await ask('DELETE', '/products/a');
    expect((await patch({ labels: { b: '1' } })).status).toBe(404);
    await ask('POST', '/products/a/restore');
    expect((await patch({ labels: { b: '1' } })).body.data.labels).toEqual({ colour: 'red', size: 'L', b: '1' });
  });

  it('keeps what the caller’s view does not have, and answers for it as for what is unknown', async () => {
    const staff = { authorization: 'staff' };
    expect((await patch({ prices: { eur: { cost: '0.5' } }, secret: { a: '1' } }, staff)).status).toBe(200);
    expect((await patch({ prices: { eur: { amount: '2' } } })).body.data.prices).toEqual({ eur: { amount: '2' } });
    expect((await ask('GET', '/products/a', undefined, staff)).body.data.prices.eur).toEqual({ amount: '2', cost: '0.5' });
    expect((await patch({ prices: { eur: null } })).body.errors).toMatchObject([{ field: 'prices.eur', rule: 'not_clearable' }]);
    const [hidden, unknown] = [await patch({ secret: { a: '2' } }), await patch({ sacred: { a: '2' } })];
    expect(hidden.text.replaceAll('secret', 'sacred')).toBe(unknown.text);
    const [inner, none] = [await patch({ prices: { eur: { cost: '1' } } }), await patch({ prices: { eur: { coat: '1' } } })];
    expect(inner.text.replaceAll('cost', 'coat')).toBe(none.text);
  });

  it('needs an open map with `explicitWrites`', async () => {
    await collection('items').insertOne({ _id: 'i' });
    expect((await ask('PATCH', '/items/i', { open: { a: '1' } })).body.data.open).toEqual({ a: '1' });
    expect((await ask('PATCH', '/items/i', { shut: { a: '1' } })).body.errors).toMatchObject([{ field: 'shut', rule: 'not_writable' }]);
  });

  it('writes what the validator of the collection takes, and its limit holds there too', async () => {
    expect((await patch({ labels: { $a: '1', 'b.c': '2' }, prices: { usd: { amount: '3' } } })).status).toBe(200);
    const tooMany = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`k${n}`, 'x']));
    await expect(collection('products').updateOne({ _id: 'a' }, { $set: { lbl: tooMany } })).rejects.toMatchObject({ code: 121 });
  });

  it('is a tool of an agent, which removes a key by null', async () => {
    const { client } = await connect(api, { headers: { authorization: 'ann' }, write: true } as Any);
    const tool = (await client.listTools()).tools.find(({ name }) => name === 'products_patch');
    expect(JSON.stringify(tool?.inputSchema)).not.toContain('x-merge');
    await client.callTool({ name: 'products_patch', arguments: { id: 'a', body: { labels: { size: null, b: '1' } } } });
    expect((await stored()).lbl).toEqual({ colour: 'red', b: '1' });
  });
});

describe('filters by keys', () => {
  beforeEach(async () => {
    for (const [one, colour] of [
      ['b', 'red'],
      ['c', 'blue'],
      ['d', 'red'],
    ] as const)
      await ask('POST', '/products', { id: one, n: 2, labels: { colour } });
  });

  it('bind cursors, count in aggregates, and know what a patch has changed', async () => {
    const first = (await ask('GET', '/products?labels.colour=red&sort=n&limit=2')).body;
    const next = `&sort=n&limit=2&after=${first.page.next_cursor}`;
    expect((await ask('GET', `/products?labels.colour=red${next}`)).body.data.map(({ id: one }: Any) => one)).toEqual(['d']);
    expect((await ask('GET', `/products?labels.colour=blue${next}`)).status).toBe(400);
    const numbers = async () => (await ask('GET', '/products/aggregate?labels.colour=red&count=true&sum=n')).body.data;
    expect(await numbers()).toMatchObject([{ count: 3 }]);
    await patch({ labels: { colour: null } });
    expect(await numbers()).toMatchObject([{ count: 2 }]);
  });

  it('keep a live list true: a patch of the key takes a record out and brings it in', async () => {
    const stream = await new LiveStream(server.port, '/products?labels.colour=red', { authorization: 'ann' }).opened();
    streams.push(stream);
    const sees = (...ids: string[]) => stream.sees(({ data }: Any) => String(data.map(({ id: one }: Any) => one)) === String(ids));
    await sees('a', 'b', 'd');
    await patch({ labels: { colour: 'blue' } });
    await sees('b', 'd');
    await patch({ labels: { colour: 'red', 'x.y': '1' } });
    await sees('a', 'b', 'd');
    expect(stream.status).toBe(200);
  });
});
