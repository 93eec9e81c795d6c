import { type Api, everything, openStore, service } from '../../../src/index.ts';
import { type Event, type StoredEvent, toEvent } from '../../../src/queues/outbox.ts';
import { useCommands } from '../../support/database/commands.ts';
import { useDatabase } from '../../support/database/database.ts';
import { until } from '../../support/until.ts';
import { Note, Order, useWebhooks, webhooks } from './use-webhooks.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const used = useWebhooks(database);
const { subscribe, rows, orders, order } = used;
const all = { olderThan: 0 };
const subjects = async () => (await rows()).map(({ subject }) => subject);

/** Called once while an event is handled: its subscriptions are asked for, and its rows are not written. */
let meanwhile: (() => Promise<unknown>) | undefined;
let handle: (event: Event) => Promise<void>;

async function handleAll(): Promise<void> {
  for (const row of await database.db.collection('events').find<StoredEvent>({}).toArray()) await handle(toEvent(row));
}

async function firstEvent(): Promise<Event> {
  return toEvent((await database.db.collection('events').findOne<StoredEvent>({})) as StoredEvent);
}

beforeEach(async () => {
  meanwhile = undefined;
  await subscribe('https://example.com/');
  const scope = async (): Promise<typeof everything> => {
    const run = meanwhile;
    meanwhile = undefined;
    await run?.();
    return everything;
  };
  const open = await webhooks.open({ api: used.api, scope });
  await open.close({ timeout: 0 }); // nothing is sent
  ({ handle } = open);
});

describe('a purge by a store of an api that knows the subscriptions', () => {
  const shop = service({ authenticate: () => 'ann', rules: { staff: () => true } });
  const createApi = (db: typeof database.db): Api => {
    const operations = {
      purge: {
        path: '/purge',
        handler: async (ctx: { store: Api['store'] }) => void (await ctx.store(Order, { scope: everything }).purge(all)),
      },
    };
    return shop.api({ db, resources: [shop.resource({ model: Order, operations } as never)], models: [webhooks.model] }) as Api;
  };

  it.each<[how: string, purge: (api: Api) => Promise<unknown>]>([
    ['`api.store`', (api) => api.store(Order).purge(all)],
    ['`tx.store`', (api) => api.transaction((tx) => tx.store(Order).purge(all))],
    ['`ctx.store`', (api) => api.fetch(new Request('http://in-process/orders/purge', { method: 'POST' }))],
  ])('erases the deliveries about its records, and no others: %s', async (_how, purge) => {
    const [mine, other] = [await order(), await order()];
    await orders().remove(mine.id);
    await handleAll();
    expect(await rows({ subject: String(mine.id) })).toHaveLength(2);
    await database.db.collection('subscriptions_deliveries').insertOne({ model: 'Note', subject: String(mine.id) });
    await purge(createApi(database.db));
    expect((await rows()).map(({ model, subject }) => [model, subject])).toEqual([
      ['Order', String(other.id)],
      ['Note', String(mine.id)],
    ]);
    expect(await database.db.collection('events').distinct('subject')).toEqual([String(other.id)]);
  });

  it('is one transaction: if it fails, the deliveries stay with the records', async () => {
    const { id } = await order();
    await orders().remove(id);
    await handleAll();
    const failing = used.api.transaction(async (tx) => {
      await tx.store(Order).purge(all);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await subjects()).toEqual([String(id), String(id)]);
    expect(await orders().count({}, { deleted: 'with' })).toBe(1);
  });

  it('costs one command for each collection of deliveries, and nothing for records without an outbox or an api without webhooks', async () => {
    const purgeOf = async (api: Api) => {
      const { id } = await order();
      await orders().remove(id);
      commands.clear();
      await api.store(Order).purge(all);
      return commands.names;
    };
    const without = shop.api({ db: database.db, resources: [shop.resource({ model: Order })], models: [Note] }) as Api;
    expect(await purgeOf(without)).toEqual(['find', 'delete', 'delete', 'commitTransaction']);
    expect(await purgeOf(createApi(database.db))).toEqual(['find', 'delete', 'delete', 'delete', 'commitTransaction']);
    const { outbox: _outbox, ...rest } = Order;
    commands.clear();
    await used.api.store({ ...rest, collection: 'elsewhere', outbox: false } as typeof Order).purge(all);
    expect(commands.names).toEqual(['find']);
  });
});

it('a purge by `openStore`, which knows no webhooks, leaves deliveries', async () => {
  const { id } = await order();
  await orders().remove(id);
  await handleAll();
  await openStore(Order, { db: database.db }).purge(all);
  expect(await subjects()).toEqual([String(id), String(id)]);
});

it('`api.forgetActor` replaces an actor in deliveries too, and counts them', async () => {
  await order();
  await database.db.collection('events').updateMany({}, { $set: { actor: 'ann' } });
  await handleAll();
  expect((await rows()).map(({ actor }) => actor)).toEqual(['ann']);
  expect([await used.api.forgetActor('ann', 'former'), await used.api.forgetActor('ann')]).toEqual([2, 0]);
  expect((await rows()).map(({ actor }) => actor)).toEqual(['former']);
});

describe('while an event is written down', () => {
  let event: Event;
  beforeEach(async () => {
    const { id } = await order();
    await database.db.collection('events').updateMany({}, { $set: { actor: 'ann' } });
    event = await firstEvent();
    await orders().remove(id);
  });

  it('a purge leaves nothing to write', async () => {
    meanwhile = () => orders().purge(all);
    await handle(event);
    expect(await rows()).toEqual([]);
  });

  it('an actor who is forgotten is not written', async () => {
    meanwhile = () => used.api.forgetActor('ann', 'former');
    await handle(event);
    expect((await rows()).map(({ actor }) => actor)).toEqual(['former']);
  });

  it('a purge that has not ended is waited for', async () => {
    let written: Promise<void> | undefined;
    await used.api.transaction(async (tx) => {
      await tx.store(Order).purge(all);
      commands.clear();
      written ??= handle(event);
      await until(() => commands.names.filter((name) => name === 'findAndModify').length > 1);
    });
    await written;
    expect(await rows()).toEqual([]);
  });

  it('a purge that has begun before begins again, and finds what was written', async () => {
    let attempts = 0;
    await used.api.transaction(async (tx) => {
      attempts++;
      expect(await tx.store(Order).count({}, { deleted: 'only' })).toBe(1); // from here on it sees no write of others
      if (attempts === 1) await handle(event);
      expect(await rows()).toHaveLength(1);
      await tx.store(Order).purge(all);
    });
    expect(attempts).toBe(2);
    expect(await rows()).toEqual([]);
  });
});
