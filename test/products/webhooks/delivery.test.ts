import type { ServerResponse } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Api, applyIndexes, defineModel, everything, service, t } from '../../../src/index.ts';
import { defineWebhooks, type OpenWebhooks, type OpenWebhooksOptions } from '../../../src/products/webhooks/webhooks.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useListener } from '../../support/http/listen.ts';
import { until } from '../../support/until.ts';
import { deliverEvents, local, type Received, receive } from './receivers.ts';

const database = useDatabase();
const listen = useListener();

const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    tenant: t.string(),
    status: t.string(),
    margin: t.optional(t.string({ policy: { read: 'staff' } })),
    pin: t.optional(t.string({ policy: { private: true } })),
    deletedAt: t.deletedAt(),
    revision: t.revision(),
  },
  outbox: true,
});
const Note = defineModel('Note', { collection: 'notes', fields: { text: t.string(), revision: t.revision() }, outbox: true });
const webhooks = defineWebhooks('Subscription', {
  collection: 'subscriptions',
  fields: { tenant: t.string({ default: 'acme' }) },
  ...local,
  timeout: 2_000,
});

let api: Api;
const running: { close(timeout?: number): Promise<void> }[] = [];
/** Short pauses, so that tests need not wait; none of them asserts a time. */
const retry = { first: 20, longest: 100 };

type Options = Partial<OpenWebhooksOptions<typeof webhooks.model>>;

async function start(options: Options = {}): Promise<OpenWebhooks> {
  const open = await webhooks.open({ api, scope: () => everything, retry, ...options });
  running.push(deliverEvents(database.db, open.handle), open);
  return open;
}

async function subscribe(url: string, types: string[] = ['*'], tenant = 'acme'): Promise<{ id: string; secret: string }> {
  const { id, secret } = await api.store(webhooks.model).create({ url, types, tenant });
  return { id: String(id), secret };
}

const rows = (filter: object = {}) => database.db.collection('subscriptions_deliveries').find(filter).toArray();
const isSettled = async () => (await rows({ state: 'pending' })).length === 0 && (await pendingEvents()) === 0;
const pendingEvents = () => database.db.collection('events').countDocuments({ state: 'pending' });
const orders = () => api.store(Order);
const order = (more: object = {}) => orders().create({ tenant: 'acme', status: 'open', ...more });

/** The revisions that a receiver was sent of each record, without repetitions. */
function revisionsOf(received: readonly Received[]): number[][] {
  const ids = new Map<unknown, Set<number>>();
  for (const { event } of received) {
    const { id, revision } = event.data;
    ids.set(id, (ids.get(id) ?? new Set()).add(revision as number));
  }
  return Array.from(ids.values(), (set) => [...set]);
}

beforeAll(async () => {
  const shop = service({ authenticate: () => ({ id: 'ann' }), rules: { staff: () => true } });
  api = shop.api({
    db: database.db,
    resources: [
      shop.resource({ model: Order, ops: ['list', 'get', 'create', 'patch', 'delete', 'restore'] }),
      shop.resource({ model: webhooks.model, operations: webhooks.operations }),
    ],
    models: [Note],
  }) as Api;
  await applyIndexes(api);
});

beforeEach(async () => {
  for (const name of ['subscriptions', 'subscriptions_deliveries', 'events', 'orders', 'notes'])
    await database.db.collection(name).deleteMany({});
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.close(0)));
});

describe('webhooks', () => {
  it('send each change once the transaction is stored, signed, and without a value of the record', async () => {
    const received: Received[] = [];
    let secret = '';
    const port = await listen(receive(() => secret, received));
    ({ secret } = await subscribe(`http://127.0.0.1:${port}/`));
    await start();
    const request = (method: string, path: string, body?: object) =>
      api.fetch(
        new Request(`http://in-process${path}`, {
          method,
          ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
        }),
      );
    const created = await request('POST', '/orders', { tenant: 'acme', status: 'canary-status', margin: 'canary-margin' });
    const { id } = ((await created.json()) as { data: { id: string } }).data;
    await orders().update(id, { pin: 'canary-pin' });
    await request('DELETE', `/orders/${id}`);
    await request('POST', `/orders/${id}/restore`);
    await until(() => received.length === 4);
    const data = { id, model: 'Order' };
    expect(received.map(({ event }) => event)).toEqual([
      {
        type: 'order.created',
        timestamp: expect.any(String),
        data: { ...data, revision: 0, change: 'created', operation: 'create', actor: 'ann' },
      },
      { type: 'order.patched', timestamp: expect.any(String), data: { ...data, revision: 1, change: 'patched', actor: null } },
      {
        type: 'order.deleted',
        timestamp: expect.any(String),
        data: { ...data, revision: 2, change: 'deleted', operation: 'delete', actor: 'ann' },
      },
      {
        type: 'order.restored',
        timestamp: expect.any(String),
        data: { ...data, revision: 3, change: 'restored', operation: 'restore', actor: 'ann' },
      },
    ]);
    expect(received.map(({ body }) => body).join()).not.toMatch(/canary|margin|pin|tenant/);
    expect(JSON.stringify(await rows())).not.toContain('canary');
    expect(new Set(received.map((one) => one.id)).size).toBe(4);
  });

  it('reach those who asked for the type of the event', async () => {
    const received: Record<string, Received[]> = {};
    for (const type of ['*', 'order.*', 'order.patched', 'note.*', 'note.created', 'orders.*', 'orde.*']) {
      const [mine, secrets]: [Received[], string[]] = [[], []];
      received[type] = mine;
      const port = await listen(receive(() => secrets[0] as string, mine));
      secrets.push((await subscribe(`http://127.0.0.1:${port}/`, [type])).secret);
    }
    await start();
    const { id } = await order();
    await orders().update(id, { status: 'sent' });
    await api.store(Note).create({ text: 'a' });
    await until(async () => received['*']?.length === 3 && (await isSettled()));
    const types = Object.entries(received).map(([type, all]) => [type, all.map(({ event }) => event.type).sort()]);
    expect(Object.fromEntries(types)).toEqual({
      '*': ['note.created', 'order.created', 'order.patched'],
      'order.*': ['order.created', 'order.patched'],
      'order.patched': ['order.patched'],
      'note.*': ['note.created'],
      'note.created': ['note.created'],
      'orders.*': [],
      'orde.*': [],
    });
  });

  it('reach nobody outside of the scope, and nobody where there is none', async () => {
    const received: Received[] = [];
    const secrets: Record<string, string> = {};
    for (const tenant of ['acme', 'other']) {
      const port = await listen(receive(() => secrets[tenant] as string, received));
      secrets[tenant] = (await subscribe(`http://127.0.0.1:${port}/${tenant}`, ['*'], tenant)).secret;
    }
    await start({
      scope: async ({ model }, load) => {
        const record = await load<{ tenant: string }>();
        return model === 'Order' && record ? { tenant: record.tenant } : undefined;
      },
    });
    const [mine] = [await order(), await order({ tenant: 'third' })];
    await api.store(Note).create({ text: 'a' });
    await orders().remove(mine.id);
    await until(async () => received.length === 2 && (await isSettled()));
    expect(received.map(({ event }) => event.data.id)).toEqual([String(mine.id), String(mine.id)]);
    const acme = await database.db.collection('subscriptions').findOne({ tenant: 'acme' });
    expect(new Set((await rows()).map(({ subscription }) => subscription))).toEqual(new Set([String(acme?._id)]));
  });

  it('need to be told who may hear what', async () => {
    await expect(webhooks.open({ api } as never)).rejects.toThrow('`scope` of `open` of webhooks must be a function');
    await expect(webhooks.open({ api: {}, scope: () => everything } as never)).rejects.toThrow('needs an api');
  });

  it('write one row for an event and a subscription, however often the event comes', async () => {
    await subscribe('https://example.com/');
    await subscribe('https://example.org/');
    const open = await webhooks.open({ api, scope: () => everything });
    await open.close(0);
    await order();
    const event = await database.db.collection('events').findOne({});
    for (let repetition = 0; repetition < 3; repetition++) await open.handle({ ...event, id: event?._id } as never);
    expect(await rows()).toHaveLength(2);
    await subscribe('https://example.net/');
    await open.handle({ ...event, id: event?._id } as never);
    expect(await rows()).toHaveLength(3);
  });

  it('arrive in order for each record at a receiver that fails, hangs and resets for a while', async () => {
    const received: Received[] = [];
    let [secret, requests] = ['', 0];
    const good = receive(() => secret, received);
    const held: ServerResponse[] = [];
    const bad: ((response: ServerResponse) => unknown)[] = [
      (response) => response.writeHead(500).end(),
      (response) => response.socket?.resetAndDestroy(),
      (response) => response.writeHead(302, { location: '/' }).end(),
      (response) => held.push(response), // until the time is over
      (response) => response.writeHead(429, { 'retry-after': '0' }).end(),
      (response) => response.socket?.write('nonsense\r\n\r\n'),
      (response) => response.writeHead(404).end(),
    ];
    const port = await listen((request, response) => {
      const fail = requests++ < 14 ? bad[requests % bad.length] : undefined;
      if (fail) fail(response);
      else good(request, response);
    });
    ({ secret } = await subscribe(`http://127.0.0.1:${port}/`));
    await start();
    const all = await Promise.all(Array.from({ length: 4 }, () => order()));
    for (let revision = 1; revision < 5; revision++)
      await Promise.all(all.map(({ id }) => orders().update(id, { status: `step ${revision}` })));
    await until(async () => requests > 14 && (await isSettled()));
    expect(revisionsOf(received)).toEqual(all.map(() => [0, 1, 2, 3, 4]));
    expect(await rows({ state: 'delivered' })).toHaveLength(20);
  });

  it('reach everybody else while a receiver is dead, however many events wait for it', async () => {
    const received: Received[] = [];
    let secret = '';
    const dead = await listen(() => undefined);
    const port = await listen(receive(() => secret, received));
    const { id: subscription } = await subscribe(`http://127.0.0.1:${dead}/`);
    ({ secret } = await subscribe(`http://127.0.0.1:${port}/`));
    await start({ concurrency: 6, retry: { first: 60_000 } });
    await Promise.all(Array.from({ length: 30 }, () => order()));
    await until(() => received.length === 30);
    expect(await rows({ state: 'pending', subscription })).toHaveLength(30);
  });

  it('stop with 410, and pass over what was written for a subscription that is disabled or deleted', async () => {
    const received: Received[] = [];
    let [secret, requests] = ['', 0];
    const gone = await listen((_request, response) => {
      requests++;
      response.writeHead(410).end();
    });
    const port = await listen(receive(() => secret, received));
    const { id } = await subscribe(`http://127.0.0.1:${gone}/`);
    ({ secret } = await subscribe(`http://127.0.0.1:${port}/`));
    await start({ concurrencyOfOne: 1 });
    const { id: orderId } = await order();
    for (let revision = 1; revision < 5; revision++) await orders().update(orderId, { status: `step ${revision}` });
    await until(async () => received.length === 5 && (await isSettled()));
    expect(requests).toBe(1);
    expect(await api.store(webhooks.model).get(id)).toMatchObject({ isEnabled: false, disabledFor: 'gone', disabledAt: expect.any(Date) });
    await order();
    await until(async () => received.length === 6 && (await isSettled()));
    expect(requests).toBe(1);
    await api.store(webhooks.model).update(id, { isEnabled: true });
    await order();
    await until(() => requests === 2);
  });

  it('stop only the record and the subscription of a dead letter', async () => {
    const received: Received[] = [];
    let secret = '';
    const { id: refused } = await order();
    const port = await listen(
      receive(
        () => secret,
        received,
        ({ event }) => (event.data.id === String(refused) ? 500 : 200),
      ),
    );
    ({ secret } = await subscribe(`http://127.0.0.1:${port}/`));
    const seen: string[] = [];
    await start({ retry: { ...retry, for: 0 }, observe: ({ kind }) => seen.push(kind) });
    await orders().update(refused, { status: 'sent' });
    await order();
    await until(async () => received.length === 1 && (await rows({ state: 'dead' })).length === 1);
    await order();
    await until(() => received.length === 2);
    expect(await rows({ subject: String(refused) })).toMatchObject([
      { state: 'dead', lastError: 'The receiver has answered with 500.', order: { revision: 0 } },
      { state: 'pending' },
    ]);
    expect(seen).toContain('dead');
  });

  it('forget what is kept of records that are purged', async () => {
    const port = await listen((_request, response) => response.writeHead(500).end());
    await subscribe(`http://127.0.0.1:${port}/`);
    await start();
    const [mine, other] = [await order(), await order()];
    await until(async () => (await rows()).length === 2);
    await webhooks.erase({ db: database.db, model: Order, ids: [mine.id] });
    expect((await rows()).map(({ subject }) => subject)).toEqual([String(other.id)]);
    await webhooks.erase({ db: database.db, model: Order, ids: [String(other.id)] });
    expect(await rows()).toEqual([]);
  });
});
