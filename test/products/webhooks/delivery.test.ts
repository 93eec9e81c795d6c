import { everything, service } from '../../../src/index.ts';
import type { LoadRecord } from '../../../src/products/webhooks/webhooks.ts';
import { type Event, type StoredEvent, toEvent } from '../../../src/queues/outbox.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useListener } from '../../support/http/listen.ts';
import { until } from '../../support/until.ts';
import { type Received, receive } from './receivers.ts';
import { Note, Order, useWebhooks, webhooks } from './use-webhooks.ts';

const database = useDatabase();
const listen = useListener();
const used = useWebhooks(database);
const { start, subscribe, rows, isSettled, orders, order } = used;

async function firstEvent(): Promise<Event> {
  const [row] = await database.db.collection('events').find<StoredEvent>({}).toArray();
  return toEvent(row as StoredEvent);
}

describe('webhooks', () => {
  it('send each change once the transaction is stored, signed, and without a value of the record', async () => {
    const received: Received[] = [];
    let secret = '';
    const port = await listen(receive(() => secret, received));
    ({ secret } = await subscribe(`http://127.0.0.1:${port}/`));
    await start();
    const request = (method: string, path: string, body?: object) =>
      used.api.fetch(
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
    const data = { id, model: 'Order', life: expect.any(String) };
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
    await used.api.store(Note).create({ text: 'a' });
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
    await used.api.store(Note).create({ text: 'a' });
    await orders().remove(mine.id);
    await until(async () => received.length === 2 && (await isSettled()));
    expect(received.map(({ event }) => event.data.id)).toEqual([String(mine.id), String(mine.id)]);
    const acme = await database.db.collection('subscriptions').findOne({ tenant: 'acme' });
    expect(new Set((await rows()).map(({ subscription }) => subscription))).toEqual(new Set([String(acme?._id)]));
  });

  it('need to be told who may hear what', async () => {
    await expect(webhooks.open({ api: used.api } as never)).rejects.toThrow('`scope` of `open` of webhooks must be a function');
    await expect(webhooks.open({ api: {}, scope: () => everything } as never)).rejects.toThrow('needs an api');
  });

  it('need an api that knows the subscriptions, because its purges erase what they keep', async () => {
    const shop = service({ authenticate: () => 'ann', rules: { staff: () => true } });
    const api = shop.api({ db: database.db, resources: [shop.resource({ model: Order })] });
    await expect(webhooks.open({ api, scope: () => everything })).rejects.toThrow(
      'The api of `open` of webhooks does not know Subscription: add it to its `resources` or `models`.',
    );
  });

  it('write one row for an event and a subscription, however often the event comes', async () => {
    await subscribe('https://example.com/');
    await subscribe('https://example.org/');
    const open = await webhooks.open({ api: used.api, scope: () => everything });
    await open.close({ timeout: 0 });
    await order();
    const event = await firstEvent();
    for (let repetition = 0; repetition < 3; repetition++) await open.handle(event);
    expect(await rows()).toHaveLength(2);
    await subscribe('https://example.net/');
    await open.handle(event);
    expect(await rows()).toHaveLength(3);
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
    expect(await used.api.store(webhooks.model).get(id)).toMatchObject({
      isEnabled: false,
      disabledFor: 'gone',
      disabledAt: expect.any(Date),
    });
    await order();
    await until(async () => received.length === 6 && (await isSettled()));
    expect(requests).toBe(1);
    await used.api.store(webhooks.model).update(id, { isEnabled: true });
    await order();
    await until(() => requests === 2);
  });

  it('reach nobody who is out of the scope by the time at which they are sent', async () => {
    let requests = 0;
    const port = await listen((_request, response) => {
      requests++;
      response.writeHead(204).end();
    });
    const scope = async (_event: unknown, load: LoadRecord) => {
      const record = await load<{ tenant: string }>();
      return record && { tenant: record.tenant };
    };
    const [moved, stays] = [await subscribe(`http://127.0.0.1:${port}/`), await subscribe(`http://127.0.0.1:${port}/`)];
    await order();
    const open = await webhooks.open({ api: used.api, scope });
    await open.close({ timeout: 0 });
    await open.handle(await firstEvent());
    expect(await rows()).toHaveLength(2);
    await used.api.store(webhooks.model).update(moved.id as never, { tenant: 'other' });
    await start({ scope });
    await until(async () => (await rows({ state: 'pending' })).length === 0);
    expect(requests).toBe(1);
    expect((await rows({ subscription: stays.id }))[0]).toMatchObject({ state: 'delivered', attempts: 1 });
  });
});
