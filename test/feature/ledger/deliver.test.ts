import {
  applyIndexes,
  type DeliverOptions,
  type Delivery,
  type DeliveryObservation,
  defineModel,
  type Event,
  PermanentFailure,
  service,
  t,
} from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useServer } from '../../support/http/serve.ts';
import { until } from '../../support/until.ts';

const Order = defineModel('Order', {
  collection: 'orders',
  fields: { id: t.int({ policy: { insert: true } }), total: t.int(), revision: t.revision() },
  outbox: true,
});
const Note = defineModel('Note', {
  collection: 'notes',
  fields: { id: t.int({ policy: { insert: true } }), text: t.string(), revision: t.revision() },
  outbox: { collection: 'note_events' },
});

const database = useDatabase();
const serve = useServer();
const open: Delivery[] = [];
let seen: Event[];
let told: DeliveryObservation[];

beforeEach(() => {
  seen = [];
  told = [];
});

afterEach(async () => {
  for (const delivery of open.splice(0)) await delivery.close();
  for (const name of ['orders', 'notes', 'events', 'note_events']) await database.db.collection(name).deleteMany({});
});

const events = () => database.db.collection<Any>('events');
const delivered = async (count: number) => until(async () => (await events().countDocuments({ state: 'delivered' })) === count);

async function start() {
  const shop = service({ authenticate: (ctx) => ctx.get('x-user') || undefined });
  const resources = [shop.resource({ model: Order }), shop.resource({ model: Note })];
  const api = shop.api({ db: database.db, resources, requestIds: true });
  const { request } = await serve(api.routes());
  return {
    api,
    create: async (id: number) => {
      const headers = { 'x-user': 'ann', 'x-request-id': `create-${id}` };
      expect((await request('POST', '/orders', { body: { id, total: 0 }, headers })).status).toBe(201);
    },
    patch: async (id: number, total: number) => expect((await request('PATCH', `/orders/${id}`, { body: { total } })).status).toBe(200),
    note: async (id: number) => expect((await request('POST', '/notes', { body: { id, text: 'x' } })).status).toBe(201),
    async deliver(options: Partial<DeliverOptions> = {}) {
      const delivery = await api.deliver({
        handle: async (event) => void seen.push(event),
        observe: (what) => void told.push(what),
        poll: 200,
        ...options,
      });
      open.push(delivery);
      return delivery;
    },
  };
}

describe('a delivery', () => {
  it('hands over who has done what to which record, and no values', async () => {
    const { create, deliver } = await start();
    await deliver();
    await create(7);
    await delivered(1);
    expect(seen).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        type: 'order.created',
        model: 'Order',
        subject: '7',
        life: expect.stringMatching(/^[0-9a-f]{24}$/),
        revision: 0,
        at: expect.any(Date),
        actor: 'ann',
        operation: 'create',
        requestId: 'create-7',
      },
    ]);
    await until(() => told.length === 1); // it is told of the row behind the write that has noted it
    expect(told).toMatchObject([{ kind: 'delivered', attempt: 1, event: seen[0], lag: expect.any(Number), duration: expect.any(Number) }]);
  });

  it('hands over what was written before it began, and what is written while it runs, in the order of each record', async () => {
    const { create, patch, deliver } = await start();
    for (const id of [1, 2, 3]) await create(id);
    for (const total of [1, 2, 3]) await Promise.all([1, 2, 3].map((id) => patch(id, total)));
    await deliver();
    for (const total of [4, 5]) await Promise.all([1, 2, 3].map((id) => patch(id, total)));
    await delivered(18);
    for (const subject of ['1', '2', '3'])
      expect(seen.filter((one) => one.subject === subject).map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('tries an event again that has failed, and holds back what follows it, but no other record', async () => {
    const { create, patch, deliver } = await start();
    let failures = 0;
    await deliver({
      retry: { first: 50 },
      handle: async (event, { attempt }) => {
        if (event.subject === '1' && event.revision === 0 && attempt < 4) {
          failures++;
          throw new Error(`not yet ${attempt}`);
        }
        seen.push(event);
      },
    });
    await create(1);
    await patch(1, 1);
    await create(2);
    await delivered(3);
    expect(failures).toBe(3);
    expect(seen.filter(({ subject }) => subject === '1').map(({ revision }) => revision)).toEqual([0, 1]);
    expect(told.filter(({ kind }) => kind === 'failed')).toMatchObject([{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }]);
    expect((await events().findOne({ subject: '1', revision: 0 }))?.lastError).toBe('not yet 3');
  });

  it('makes a dead letter of an event that fails for too long, or for good, which stops its record', async () => {
    const { api, create, patch, deliver } = await start();
    let isBroken = true;
    const delivery = await deliver({
      retry: { first: 20, longest: 20, for: 200 },
      handle: async (event) => {
        if (event.subject === '1' && isBroken) throw new PermanentFailure('x'.repeat(5_000));
        if (event.subject === '2' && isBroken) throw new Error('down');
        seen.push(event);
      },
    });
    for (const id of [1, 2, 3]) await create(id);
    for (const id of [1, 2, 3]) await patch(id, 1);
    await until(async () => (await events().countDocuments({ state: 'dead' })) === 2);
    await until(async () => (await delivery.count()).pending === 2); // an event is noted as delivered after it was handed over
    expect(seen.map(({ subject }) => subject)).toEqual(['3', '3']);
    expect(await delivery.count()).toEqual({ pending: 2, dead: 2 });
    const [first] = await events().find({ subject: '1', state: 'dead' }).toArray();
    expect(first).toMatchObject({ attempts: 1, lastError: 'x'.repeat(1024) });
    isBroken = false;
    const [outbox] = await api.queues();
    expect(await outbox?.letters.release(first?._id)).toBe(1);
    await until(() => seen.filter(({ subject }) => subject === '1').length === 2);
    const [second] = (await outbox?.letters.findDead(10)) ?? [];
    expect(await outbox?.letters.skip(second?._id)).toBe(true);
    expect(await outbox?.letters.skip(second?._id)).toBe(false);
    await until(async () => (await delivery.count()).pending === 0);
    expect(seen.filter(({ subject }) => subject === '2').map(({ revision }) => revision)).toEqual([1]);
    expect(await delivery.count()).toEqual({ pending: 0, dead: 0 });
  });

  it('passes over an event whose record is purged while it is handed over', async () => {
    const { create, patch, deliver } = await start();
    await deliver({
      handle: async (event) => {
        if (event.subject === '1') await events().deleteMany({ record: 1 });
        seen.push(event);
      },
    });
    await create(1);
    await until(() => told.some(({ kind }) => kind === 'lost'));
    await create(2);
    await patch(2, 1);
    await delivered(2);
    expect(seen.filter(({ subject }) => subject === '2').map(({ revision }) => revision)).toEqual([0, 1]);
  });

  it('keeps what was delivered until its time is over', async () => {
    const { create, deliver } = await start();
    await deliver({ keep: '2d' });
    await create(1);
    await delivered(1);
    const row = await events().findOne({});
    expect(row?.expiresAt.getTime() - row?.deliveredAt.getTime()).toBe(2 * 86_400_000);
  });

  it('waits when it is closed for what is under way, and leaves the rest to others', async () => {
    const { create, deliver } = await start();
    let finish: () => void = () => undefined;
    const first = await deliver({
      concurrency: 1,
      handle: async (event) => {
        seen.push(event);
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
      },
    });
    await create(1);
    await create(2);
    await until(() => seen.length === 1);
    const closed = first.close();
    finish();
    await closed;
    expect(seen).toHaveLength(1);
    await deliver();
    await delivered(2);
    expect(new Set(seen.map(({ subject }) => subject))).toEqual(new Set(['1', '2']));
  });

  it('gives back at once what a handler holds that does not end in time', async () => {
    const { api, create, deliver } = await start();
    await deliver({
      handle: async (_event, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    await create(1);
    await until(async () => (await events().countDocuments({ lease: { $exists: true } })) === 1);
    await api.close({ timeout: 10 });
    const other = await start();
    await other.deliver({ lease: 60_000 });
    await delivered(1);
    expect(seen).toHaveLength(1);
    expect(await events().findOne({})).toMatchObject({ attempts: 1, state: 'delivered' });
    await expect(api.deliver({ handle: () => undefined })).rejects.toThrow('`deliver` was called after `close` of its api.');
  });

  it('goes on when `observe` throws', async () => {
    const { create, deliver } = await start();
    await deliver({
      observe: () => {
        throw new Error('metrics are away');
      },
    });
    await create(1);
    await create(2);
    await delivered(2);
    expect(seen).toHaveLength(2);
  });

  it('delivers each outbox, or those of some models', async () => {
    const { create, note, deliver } = await start();
    await deliver({ models: [Note] });
    await create(1);
    await note(1);
    await until(() => seen.length === 1);
    expect(seen.map(({ type }) => type)).toEqual(['note.created']);
    await deliver();
    await until(() => seen.length === 2);
    expect(seen.map(({ type }) => type)).toEqual(['note.created', 'order.created']);
  });

  it('refuses options that it does not have, and an api without an outbox', async () => {
    const { api } = await start();
    const handle = () => undefined;
    const refused = (options: Any) => expect(api.deliver(options)).rejects;
    await refused({}).toThrow('`deliver` needs `handle`, which gets the events of the outboxes.');
    await refused({ handle: 1 }).toThrow('`handle` of `deliver` must be a function, or be left out.');
    await refused({ handle, concurency: 1 }).toThrow('did you mean');
    await refused({ handle, lease: 10 }).toThrow('`lease` of `deliver` must be a whole number');
    await refused({ handle, retry: { first: 0 } }).toThrow('`first` of `retry` of `deliver` must be');
    await refused({ handle, keep: '1h' }).toThrow("`keep` of `deliver` must be a number of days, such as '30d'");
    const Other = defineModel('Other', { collection: 'others', fields: { id: t.objectId() } });
    await refused({ handle, models: [Other] }).toThrow('`models` of `deliver` names Other: no model of the api with an `outbox`.');
    const plain = service();
    const without = plain.api({ db: database.db, resources: [plain.resource({ model: Other })] });
    await expect(without.deliver({ handle })).rejects.toThrow('`deliver` needs a model with `outbox`');
    const Twin = defineModel('Twin', { collection: 'twins', fields: { id: t.objectId(), revision: t.revision() }, outbox: true });
    const shared = plain.api({ db: database.db, resources: [plain.resource({ model: Order }), plain.resource({ model: Twin })] });
    await expect(shared.deliver({ handle, models: [Twin] })).rejects.toThrow(
      'leaves out Order, whose events are in the same collection `events`',
    );
  });

  it('has indexes for its outboxes that `applyIndexes` creates', async () => {
    const { api } = await start();
    const created = await applyIndexes(api);
    const keys = created.find(({ collection }) => collection === 'events')?.created.map(({ key }) => key.map(([path]) => path).join());
    expect(keys).toEqual(['state,dueAt,_id', 'record,collection,life,deliveredAt,revision', 'expiresAt']);
    expect(await applyIndexes(api)).toEqual([]);
  });
});
