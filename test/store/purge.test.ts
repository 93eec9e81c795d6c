import { openStore, service } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { Parcel } from '../support/models/parcel.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const parcels = () => database.db.collection<Any>('parcels');
const store = (scope?: { owner: string }) => openStore(Parcel, { db: database.db, ...(scope && { scope }) });
const day = 24 * 3_600_000;
const ago = (days: number) => new Date(Date.now() - days * day);
const left = async () => (await parcels().find({}).sort({ _id: 1 }).toArray()).map(({ _id }) => _id);

beforeEach(async () => {
  await parcels().deleteMany({});
  await parcels().insertMany([
    { _id: 'live', owner: 'ann' },
    { _id: 'old', owner: 'ann', deletedAt: ago(40) },
    { _id: 'older', owner: 'ben', deletedAt: ago(50) },
    { _id: 'young', owner: 'ann', deletedAt: ago(5) },
    { _id: 'null', owner: 'ann', deletedAt: null },
  ]);
  commands.clear();
});

describe('purge()', () => {
  it('removes what has been deleted for longer than a time, and returns how many', async () => {
    expect(await store().purge({ olderThan: 30 * day })).toBe(2);
    expect(commands.names).toEqual(['find', 'delete']);
    expect(await left()).toEqual(['live', 'null', 'young']);
  });

  it('takes a date, and with 0 everything that is deleted', async () => {
    expect(await store().purge({ olderThan: ago(45) })).toBe(1);
    expect(await store().purge({ olderThan: 0 })).toBe(2);
    expect(await store().purge({ olderThan: Number.MAX_VALUE })).toBe(0);
    expect(await left()).toEqual(['live', 'null']);
  });

  it('frees the ids', async () => {
    await expect(store().create({ id: 'old' })).rejects.toMatchObject({ code: 'duplicate_key' });
    await store().purge({ olderThan: 30 * day });
    expect(await store().create({ id: 'old' })).toMatchObject({ revision: 0 });
  });

  it('stops after `max` records, with the oldest first', async () => {
    expect(await store().purge({ olderThan: 0, max: 2 })).toBe(2);
    expect(await left()).toEqual(['live', 'null', 'young']);
  });

  it('works in batches of 1,000', async () => {
    await parcels().insertMany(Array.from({ length: 2_100 }, (_, index) => ({ _id: `n${index}`, deletedAt: ago(60) })));
    commands.clear();
    expect(await store().purge({ olderThan: 55 * day })).toBe(2_100);
    expect(commands.names).toEqual(['find', 'delete', 'find', 'delete', 'find', 'delete']);
    expect(commands.events.filter(({ commandName }) => commandName === 'find').map(({ command }) => command.limit)).toEqual([
      1_000, 1_000, 1_000,
    ]);
  });

  it('empties the answers that an api has kept, and their keys are still applied once', async () => {
    const desk = service();
    const resource = desk.resource({ model: Parcel, ops: ['create', 'delete'] });
    const api = desk.api({ db: database.db, resources: [resource], idempotency: { principal: () => 'ann' } });
    const create = async (id: string) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': `key-${id}` };
      const answer = await api.fetch(
        new Request('http://desk/parcels', { method: 'POST', headers, body: JSON.stringify({ id, place: 'canary' }) }),
      );
      return answer.status;
    };
    const kept = () => database.db.collection('idempotency_keys').find().toArray();
    for (const id of ['a', 'b']) expect(await create(id)).toBe(201);
    await api.store(Parcel).remove('a');
    expect(await api.store(Parcel, { scope: { id: 'a' } }).purge({ olderThan: 0 })).toBe(1);
    expect((await kept()).map(({ status, body }) => [status, body === undefined])).toEqual([
      [204, true],
      [201, false],
    ]);
    expect([await create('a'), await create('b')]).toEqual([404, 201]);
    expect(await parcels().countDocuments({ _id: 'a' })).toBe(0);
  });

  it('is limited to the scope of the store', async () => {
    expect(await store({ owner: 'ann' }).purge({ olderThan: 30 * day })).toBe(1);
    expect(await left()).toContain('older');
  });

  it('leaves a record that is restored while it runs', async () => {
    let restored: Promise<unknown> | undefined;
    const restoreOnce = ({ commandName }: { commandName: string }) => {
      if (commandName === 'delete') restored ??= openStore(Parcel, { db: database.db }).restore('old');
    };
    // The driver calls its listeners before it sends the command: the restore goes out on another connection, in front
    // or behind.
    database.client.on('commandStarted', restoreOnce);
    const purged = await store().purge({ olderThan: 30 * day });
    database.client.off('commandStarted', restoreOnce);
    const isRestored = await restored?.then(
      () => true,
      () => false,
    );
    expect([purged, (await left()).includes('old')]).toEqual(isRestored ? [1, true] : [2, false]);
  });

  it.each([
    undefined,
    {},
    { olderThan: -1 },
    { olderThan: Number.NaN },
    { olderThan: new Date('x') },
    { olderThan: '30 days' },
    { olderThan: 1, max: 0 },
  ])('refuses the options %j', async (options) => {
    await expect(store().purge(options as Any)).rejects.toThrow('purge');
    expect(await left()).toHaveLength(5);
  });
});

describe('the reads of a store', () => {
  it('see deleted records if they are asked to', async () => {
    const only = await store().find({}, { deleted: 'only', sort: ['deletedAt'] });
    expect(only.map(({ id }) => id)).toEqual(['older', 'old', 'young']);
    expect((await store().find({ owner: 'ann' }, { deleted: 'with' })).map(({ id }) => id)).toEqual(['live', 'null', 'old', 'young']);
    expect(await store().count({}, { deleted: 'only' })).toBe(3);
    expect(await store().count({}, { deleted: 'with' })).toBe(5);
    expect(await store().count({})).toBe(2);
    expect(await store().get('old', { deleted: 'with' })).toMatchObject({ id: 'old', deletedAt: expect.any(Date) });
    await expect(store().get('live', { deleted: 'only' })).rejects.toMatchObject({ code: 'not_found' });
    for await (const { id } of store().each({}, { deleted: 'only', limit: 1 })) expect(id).toBe('old');
  });

  it('refuse another value', async () => {
    for (const deleted of ['live', true, 'yes']) {
      await expect(store().get('old', { deleted } as Any)).rejects.toThrow('only, with');
      await expect(store().count({}, { deleted } as Any)).rejects.toThrow('only, with');
      await expect(store().find({}, { deleted } as Any)).rejects.toThrow('only, with');
    }
  });

  it('give a deleted document that cannot be saved', async () => {
    const held = await store().get('old', { deleted: 'with' });
    held.place = 'there';
    await expect(store().save(held)).rejects.toMatchObject({ code: 'not_found' });
  });
});
