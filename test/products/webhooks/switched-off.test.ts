import { type Api, applyIndexes, defineModel, everything, service, t } from '../../../src/index.ts';
import { defineWebhooks, type OpenWebhooks } from '../../../src/products/webhooks/webhooks.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useListener } from '../../support/http/listen.ts';
import { until } from '../../support/until.ts';
import { local, textOf } from './receivers.ts';

const database = useDatabase();
const listen = useListener();
const Order = defineModel('Order', { collection: 'orders', fields: { status: t.string(), revision: t.revision() }, outbox: true });
const tenant = t.string({ default: 'acme', policy: { filter: ['eq'] } });
const webhooks = defineWebhooks('Subscription', { collection: 'subscriptions', fields: { tenant, deletedAt: t.deletedAt() }, ...local });
const retry = { first: 20, longest: 100 };

let api: Api;
const open: { close(options: { timeout: number }): Promise<void> }[] = [];

beforeAll(async () => {
  const shop = service({ authenticate: () => 'ann' });
  const subscriptions = shop.resource({
    model: webhooks.model,
    ops: ['get', 'patch', 'put', 'patchMany', 'delete', 'restore'],
    operations: {
      ...webhooks.operations,
      toggle: {
        method: 'POST',
        path: '/:id/toggle',
        async handler(ctx) {
          const subscription = await ctx.load();
          subscription.isEnabled = !subscription.isEnabled;
          return ctx.save(subscription);
        },
      },
    },
  });
  api = shop.api({ db: database.db, resources: [subscriptions], models: [Order] }) as Api;
  await applyIndexes(api);
});

beforeEach(async () => {
  for (const name of ['subscriptions', 'subscriptions_deliveries', 'events', 'orders']) await database.db.collection(name).deleteMany({});
});

afterEach(close);

async function close(): Promise<void> {
  await Promise.all(open.splice(0).map((one) => one.close({ timeout: 0 })));
}

async function work(): Promise<OpenWebhooks> {
  const sending = await webhooks.open({ api, scope: () => everything, retry });
  open.push(await api.deliver({ handle: sending.handle, retry, poll: 200 }), sending);
  return sending;
}

const pending = async (name: string) => (await database.db.collection(name).countDocuments({ state: 'pending' })) > 0;
const isSettled = async () => !(await pending('events')) && !(await pending('subscriptions_deliveries'));
const stored = () => database.db.collection('subscriptions').findOne({});

/** A receiver, and the revisions of which it was sent. */
async function receiver(statusOf: () => number = () => 204) {
  const revisions: number[] = [];
  const port = await listen(async (request, response) => {
    const { data } = JSON.parse(await textOf(request)) as { data: { revision: number } };
    revisions.push(data.revision);
    response.writeHead(statusOf()).end();
  });
  return { revisions, url: `http://127.0.0.1:${port}/` };
}

async function send(method: string, path: string, body?: object): Promise<void> {
  const json = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const { status } = await api.fetch(new Request(`http://in-process/subscriptions${path}`, { method, ...json }));
  expect(status).toBeLessThan(300);
}

const subscriptions = () => api.store(webhooks.model);
const body = (url: string, isEnabled: boolean) => ({ url, types: ['*'], isEnabled });
type Switch = (id: string, isEnabled: boolean, url: string) => Promise<unknown>;

const switches: Readonly<Record<string, Switch>> = {
  PATCH: (id, isEnabled) => send('PATCH', `/${id}`, { isEnabled }),
  PUT: (id, isEnabled, url) => send('PUT', `/${id}`, body(url, isEnabled)),
  'PATCH of many': (_id, isEnabled) => send('PATCH', '?tenant=acme', { isEnabled }),
  'DELETE and restore': (id, isEnabled) => (isEnabled ? send('POST', `/${id}/restore`) : send('DELETE', `/${id}`)),
  'ctx.save': (id) => send('POST', `/${id}/toggle`),
  'store.update': (id, isEnabled) => subscriptions().update(id, { isEnabled }),
  'store.updateMany': (_id, isEnabled) => subscriptions().updateMany({}, { isEnabled }),
  'store.upsert': (id, isEnabled, url) => subscriptions().upsert(id, body(url, isEnabled)),
};

describe('a subscription that was off for a while', () => {
  it.each(Object.entries(switches))('by %s is not sent what has happened then, and everything else', async (_name, turn) => {
    const { revisions, url } = await receiver();
    const id = String((await subscriptions().create({ url, types: ['*'] })).id);
    const order = await api.store(Order).create({ status: 'on' });
    for (const isEnabled of [false, true, false, true]) {
      await turn(id, isEnabled, url);
      await api.store(Order).update(order.id, { status: `${isEnabled}` });
    }
    await work();
    await until(() => revisions.includes(4) && isSettled());
    expect(revisions).toEqual([0, 2, 4]);
  });

  it('because its receiver was gone is not sent what has happened then', async () => {
    let status = 410;
    const { revisions, url } = await receiver(() => status);
    const { id } = await subscriptions().create({ url, types: ['*'] });
    const order = await api.store(Order).create({ status: 'on' });
    await work();
    await until(async () => (await stored())?.disabledFor === 'gone');
    await close();
    await api.store(Order).update(order.id, { status: 'off' });
    status = 204;
    await send('PATCH', `/${id}`, { isEnabled: true });
    await api.store(Order).update(order.id, { status: 'on' });
    await work();
    await until(() => revisions.includes(2) && isSettled());
    expect(revisions).toEqual([0, 2]);
  });

  it('is not sent it either if it was written down already', async () => {
    const { revisions, url } = await receiver();
    const { id } = await subscriptions().create({ url, types: ['*'] });
    await api.store(Order).create({ status: 'on' });
    await work();
    await until(() => revisions.length === 1 && isSettled());
    await close();
    for (const isEnabled of [false, true]) await subscriptions().update(id, { isEnabled });
    const off = (await stored())?.switchedAt[0];
    await database.db
      .collection('subscriptions_deliveries')
      .updateMany({}, { $set: { state: 'pending', at: off }, $unset: { deliveredAt: 1, dueAt: 1, lease: 1 } });
    await work();
    await until(isSettled);
    expect(revisions).toEqual([0]);
  });

  it('hears of what follows, also if it was made switched off', async () => {
    const { revisions, url } = await receiver();
    const { id } = await subscriptions().create(body(url, false));
    const order = await api.store(Order).create({ status: 'off' });
    await send('PATCH', `/${id}`, { isEnabled: true });
    await api.store(Order).update(order.id, { status: 'on' });
    await work();
    await until(() => revisions.includes(1) && isSettled());
    expect(revisions).toEqual([1]);
  });

  it('keeps no time of writes that leave it as it was, and the last 100 of the others', async () => {
    const { id } = await subscriptions().create({ url: 'http://127.0.0.1:1/', types: ['*'] });
    await send('PATCH', `/${id}`, { isEnabled: true });
    await send('PATCH', `/${id}`, { types: ['order.*'] });
    expect((await stored())?.switchedAt).toBeUndefined();
    for (let time = 0; time < 51; time++) for (const isEnabled of [false, true]) await subscriptions().update(id, { isEnabled });
    expect((await stored())?.switchedAt).toHaveLength(100);
  });
});
