import { type Api, applyIndexes, defineModel, everything, service, t } from '../../../src/index.ts';
import { defineWebhooks, type OpenWebhooks, type OpenWebhooksOptions } from '../../../src/products/webhooks/webhooks.ts';
import type { TestDatabase } from '../../support/database/database.ts';
import { local } from './receivers.ts';

export const Order = defineModel('Order', {
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
export const Note = defineModel('Note', { collection: 'notes', fields: { text: t.string(), revision: t.revision() }, outbox: true });
export const webhooks = defineWebhooks('Subscription', {
  collection: 'subscriptions',
  fields: { tenant: t.string({ default: 'acme' }) },
  ...local,
  timeout: 2_000,
});

/** Short pauses, so that tests need not wait; none of them asserts a time. */
export const retry = { first: 20, longest: 100 };

type Options = Partial<OpenWebhooksOptions<typeof webhooks.model>>;

/** An api with orders, notes and subscriptions, and workers that each test begins, and that end with it. */
export function useWebhooks(database: TestDatabase) {
  let api: Api;
  const running: { close(options: { timeout: number }): Promise<void> }[] = [];
  async function start(options: Options = {}): Promise<OpenWebhooks> {
    const open = await webhooks.open({ api, scope: () => everything, retry, ...options });
    running.push(await api.deliver({ handle: open.handle, retry, poll: 500 }), open);
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
    await Promise.all(running.splice(0).map((one) => one.close({ timeout: 0 })));
  });

  return {
    ...{ start, subscribe, rows, isSettled, orders, order },
    get api() {
      return api;
    },
  };
}
