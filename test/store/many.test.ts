import { Decimal128, MongoClient, ObjectId } from 'mongodb';
import { type Document, defineModel, Problem, type StoreScope, service, t } from '../../src/index.ts';
import { openStore } from '../../src/store/open-store.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';

const Address = t.object('Address', { city: t.string(), zip: t.optional(t.string()) });
const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    number: t.string({ unique: true }),
    status: t.enum(['open', 'paid'], { default: 'open' }),
    total: t.int({ minimum: 0, default: 0 }),
    shipTo: t.nullable(Address),
    secret: t.nullable(t.string({ maxLength: 3 }), { policy: { private: true } }),
    owner: t.string({ default: 'ann' }),
    revision: t.revision(),
    updatedAt: t.updatedAt(),
  },
});
const Plain = defineModel('Plain', { collection: 'plain', fields: { name: t.string() } });
const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const open = (scope?: StoreScope<Document<typeof Order>>) => openStore(Order, { db: database.db, ...(scope && { scope }) });
const orders = () => database.db.collection('orders');
const records = async () => orders().find({}).sort({ number: 1 }).project({ _id: 0, number: 1, status: 1, revision: 1 }).toArray();
const longAgo = new Date(0);

async function plant(...numbers: string[]) {
  await orders().insertMany(numbers.map((number) => ({ number, status: 'open', total: 0, owner: 'ann', revision: 3, updatedAt: longAgo })));
}

beforeEach(async () => {
  await database.db.dropDatabase();
  await orders().createIndex({ number: 1 }, { unique: true });
  commands.clear();
});

describe('createMany', () => {
  it('creates all records by one command, with ids, defaults and revisions, and returns them in order', async () => {
    const created = await open().createMany([{ number: 'b' }, { number: 'a', total: 4 }]);
    expect(commands.names).toEqual(['insert']);
    expect(created.map(({ record }) => record?.number)).toEqual(['b', 'a']);
    expect(created[1]?.record).toMatchObject({
      status: 'open',
      total: 4,
      revision: 0,
      id: expect.any(ObjectId),
      updatedAt: expect.any(Date),
    });
    expect(await open().get(created[1]?.record?.id ?? '')).toEqual(created[1]?.record);
  });

  it('returns the error of each record that it does not create: 422 by its fields, 409 by the field that is taken', async () => {
    await plant('taken');
    commands.clear();
    const wrong = { number: 5 } as never;
    const created = await open().createMany([{ number: 'a' }, { number: 'taken' }, { number: 'x', total: -1 }, wrong, { number: 'a' }]);
    expect(created.map(({ record, error }) => record?.number ?? (error as Problem).code)).toEqual([
      'a',
      'duplicate_key',
      'validation_failed',
      'validation_failed',
      'duplicate_key',
    ]);
    expect(created[1]?.error).toMatchObject({ status: 409, errors: [{ field: 'number', rule: 'unique' }] });
    expect(created[2]?.error).toMatchObject({ errors: [{ field: 'total', rule: 'minimum' }] });
    expect(commands.names).toEqual(['insert']);
    expect(await orders().countDocuments()).toBe(2);
  });

  it('returns a plain Error for a value that does not fit a private field, and creates the others', async () => {
    const [first, second] = await open().createMany([{ number: 'a', secret: 'too long' }, { number: 'b' }]);
    expect(first?.error).not.toBeInstanceOf(Problem);
    expect(second?.record?.number).toBe('b');
  });

  it('sends at most 1,000 records and 8 MiB with one command, and a larger record alone', async () => {
    await open().createMany(Array.from({ length: 1_001 }, (_, index) => ({ number: `n${index}` })));
    expect(commands.events.map(({ command }) => command.documents.length)).toEqual([1_000, 1]);
    commands.clear();
    const large = (number: string, size: number) => ({ number, owner: 'x'.repeat(size) });
    const created = await open().createMany([
      large('a', 3e6),
      large('b', 3e6),
      large('c', 3e6),
      large('d', 10e6),
      large('e', 17e6),
      { number: 'f' },
    ]);
    expect(commands.events.map(({ command }) => command.documents.length)).toEqual([2, 1, 1, 1, 1]);
    expect(created.map(({ error }) => (error as Problem | undefined)?.code)).toEqual([...Array(4), 'body_too_large', undefined]);
  });

  it('sends nothing for an empty array, and nothing if no record is valid', async () => {
    expect(await open().createMany([])).toEqual([]);
    expect(await open().createMany([], { all: true })).toEqual([]);
    expect(await open().createMany([{ number: 'a', total: -1 }])).toMatchObject([{ error: { status: 422 } }]);
    expect(commands.names).toEqual([]);
  });

  it('refuses records outside of its scope', async () => {
    const created = await open({ owner: 'ann' }).createMany([{ number: 'a' }, { number: 'b', owner: 'ben' }]);
    expect(created).toMatchObject([{ record: { number: 'a' } }, { error: { status: 422, errors: [{ field: 'owner', rule: 'scope' }] } }]);
  });

  it('says of each record that was not sent that it is not stored (503)', async () => {
    const client = await MongoClient.connect(process.env.MONGODB_URI as string);
    await client.close();
    const closed = openStore(Order, { db: client.db(database.db.databaseName) });
    const created = await closed.createMany([{ number: 'a' }, { number: 'b', total: -1 }, { number: 'c' }]);
    expect(created.map(({ error }) => (error as Problem | undefined)?.status)).toEqual([503, 422, 503]);
    expect(await orders().countDocuments()).toBe(0);
  });

  describe('with `all`', () => {
    it('creates all records in one transaction, and returns them', async () => {
      const created = await open().createMany([{ number: 'a' }, { number: 'b' }], { all: true });
      expect(created.map(({ number, revision }) => [number, revision])).toEqual([
        ['a', 0],
        ['b', 0],
      ]);
      expect(commands.names).toEqual(['insert', 'commitTransaction']);
    });

    it('creates none if one is not valid, and names the fields of all that are not with their places', async () => {
      const creating = open().createMany([{ number: 'a' }, { number: 'b', total: -1 }, { number: 5 } as never], { all: true });
      await expect(creating).rejects.toMatchObject({ status: 422, errors: [{ field: '1.total' }, { field: '2.number' }] });
      expect(commands.names).toEqual([]);
    });

    it('creates none if one is a duplicate, and names its field with its place', async () => {
      await plant('n1500');
      const all = Array.from({ length: 2_000 }, (_, index) => ({ number: `n${index}` }));
      const creating = open().createMany(all, { all: true });
      await expect(creating).rejects.toMatchObject({ status: 409, errors: [{ field: '1500.number', rule: 'unique' }] });
      expect(await orders().countDocuments()).toBe(1);
    });
  });
});

describe('updateMany', () => {
  it('applies changes to every record that matches: one find, one update, one commit; one revision step each', async () => {
    await plant('a', 'b', 'c');
    await orders().updateOne({ number: 'c' }, { $set: { status: 'paid' } });
    commands.clear();
    expect(await open().updateMany({ status: 'open' }, { status: 'paid' })).toEqual({ matched: 2, modified: 2 });
    expect(commands.names).toEqual(['find', 'update', 'commitTransaction']);
    const paid = (number: string, revision: number) => ({ number, status: 'paid', revision });
    expect(await records()).toEqual([paid('a', 4), paid('b', 4), paid('c', 3)]);
    expect(await orders().countDocuments({ updatedAt: { $gt: longAgo } })).toBe(2);
  });

  it('matches nothing, or everything by {}, as the other operations do', async () => {
    await plant('a', 'b');
    expect(await open().updateMany({ number: 'z' }, { total: 1 })).toEqual({ matched: 0, modified: 0 });
    expect(await open().updateMany({}, { total: 1 })).toEqual({ matched: 2, modified: 2 });
    await expect(open().updateMany(undefined as never, { total: 1 })).rejects.toThrow('A filter must be an object');
    await expect(open().updateMany({ $where: '1' } as never, { total: 1 })).rejects.toThrow('`$where`');
    await expect(open().updateMany({ number: undefined } as never, { total: 1 })).rejects.toThrow('`number`');
  });

  it('writes nothing if more records match than `max`', async () => {
    await plant('a', 'b', 'c');
    await expect(open().updateMany({}, { total: 1 }, { max: 2 })).rejects.toMatchObject({ status: 422, code: 'too_many_matches' });
    expect(await orders().countDocuments({ total: 1 })).toBe(0);
    expect(await open().updateMany({}, { total: 1 }, { max: 3 })).toEqual({ matched: 3, modified: 3 });
    for (const max of [0, -1, 1.5, 1e9, Number.NaN, '5'])
      await expect(open().updateMany({}, { total: 1 }, { max } as never)).rejects.toThrow('`max`');
  });

  it('writes nothing for empty changes', async () => {
    await plant('a', 'b');
    expect(await open().updateMany({}, {})).toEqual({ matched: 2, modified: 0 });
    expect((await records()).map(({ revision }) => revision)).toEqual([3, 3]);
  });

  it('counts what it has modified: without a revision, a record may be so already', async () => {
    await database.db.collection('plain').insertMany([{ name: 'a' }, { name: 'b' }]);
    expect(await openStore(Plain, { db: database.db }).updateMany({}, { name: 'b' })).toEqual({ matched: 2, modified: 1 });
  });

  it('names each record whose embedded object is missing by its id, and writes nothing', async () => {
    await plant('a', 'b', 'c');
    await orders().updateOne({ number: 'b' }, { $set: { shipTo: { city: 'Rome' } } });
    const ids = (
      await orders()
        .find({ number: { $ne: 'b' } })
        .toArray()
    ).map(({ _id }) => String(_id));
    const updating = open().updateMany({}, { total: 1, shipTo: { zip: '1' } });
    await expect(updating).rejects.toMatchObject({ status: 422, errors: ids.map((id) => ({ field: `${id}.shipTo`, rule: 'incomplete' })) });
    expect(await orders().countDocuments({ total: 1 })).toBe(0);
    expect(await open().updateMany({}, { shipTo: { city: 'Bari' } })).toEqual({ matched: 3, modified: 3 });
  });

  it('is 409 for a duplicate, and writes nothing', async () => {
    await plant('a', 'b');
    await expect(open().updateMany({}, { number: 'z' })).rejects.toMatchObject({ status: 409, errors: [{ field: 'number' }] });
    expect((await records()).map(({ number }) => number)).toEqual(['a', 'b']);
  });

  it('keeps to its scope: records outside do not match, and none leaves it', async () => {
    await plant('a', 'b');
    await orders().updateOne({ number: 'b' }, { $set: { owner: 'ben' } });
    const anns = open({ owner: 'ann' });
    expect(await anns.updateMany({}, { total: 1 })).toEqual({ matched: 1, modified: 1 });
    expect(await anns.updateMany({ owner: 'ben' }, { total: 2 })).toEqual({ matched: 0, modified: 0 });
    await expect(anns.updateMany({}, { owner: 'ben' })).rejects.toMatchObject({ status: 422, errors: [{ field: 'owner', rule: 'scope' }] });
  });

  it('refuses changes that do not fit the model before any command', async () => {
    await expect(open().updateMany({}, { total: -1 })).rejects.toMatchObject({ status: 422, errors: [{ field: 'total' }] });
    await expect(open().updateMany({}, { secret: 'too long' })).rejects.not.toHaveProperty('status');
    await expect(open().updateMany({}, { total: 1 }, { mx: 5 } as never)).rejects.toThrow('`mx`');
    expect(commands.names).toEqual([]);
  });

  it('writes to more records than one command can name', async () => {
    await orders().insertMany(Array.from({ length: 5_001 }, (_, index) => ({ number: `n${index}`, total: 0 })));
    expect(await open().updateMany({}, { total: 1 }, { max: 6_000 })).toEqual({ matched: 5_001, modified: 5_001 });
    expect(commands.names.filter((name) => name === 'update')).toHaveLength(2);
    expect(await open().removeMany({ total: 1 }, { max: 6_000 })).toEqual({ matched: 5_001, modified: 5_001 });
  });
});

describe('removeMany', () => {
  it('deletes every record that matches: one find, one delete, one commit', async () => {
    await plant('a', 'b', 'c');
    commands.clear();
    expect(await open({ owner: 'ann' }).removeMany({ number: { in: ['a', 'c', 'z'] } })).toEqual({ matched: 2, modified: 2 });
    expect(commands.names).toEqual(['find', 'delete', 'commitTransaction']);
    expect((await records()).map(({ number }) => number)).toEqual(['b']);
  });

  it('deletes nothing if more records match than `max`, or lie outside of its scope', async () => {
    await plant('a', 'b');
    await expect(open().removeMany({}, { max: 1 })).rejects.toMatchObject({ code: 'too_many_matches' });
    expect(await open({ owner: 'ben' }).removeMany({})).toEqual({ matched: 0, modified: 0 });
    expect(await orders().countDocuments()).toBe(2);
  });
});

describe('in a transaction', () => {
  const api = () => service().api({ db: database.db, resources: [] });

  it('they are parts of it: all is stored by its one commit, or nothing', async () => {
    await plant('a', 'b');
    commands.clear();
    await api().transaction(async (tx) => {
      const store = tx.store(Order);
      await store.createMany([{ number: 'c' }, { number: 'd' }]);
      expect(await store.updateMany({}, { total: 1 })).toEqual({ matched: 4, modified: 4 });
      expect(await store.removeMany({ number: 'a' })).toEqual({ matched: 1, modified: 1 });
    });
    expect(commands.names).toEqual(['insert', 'find', 'update', 'find', 'delete', 'commitTransaction']);
    expect((await records()).map(({ number }) => number)).toEqual(['b', 'c', 'd']);
    const failing = api().transaction(async (tx) => {
      await tx.store(Order).updateMany({}, { total: 7 });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await orders().countDocuments({ total: 7 })).toBe(0);
  });

  it('they are none of it by `api.store`, which neither sees its records nor loses its own', async () => {
    const own = api();
    const failing = own.transaction(async (tx) => {
      await tx.store(Order).createMany([{ number: 'a' }]);
      expect(await own.store(Order).count({})).toBe(0);
      await own.store(Order).createMany([{ number: 'b' }]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect((await records()).map(({ number }) => number)).toEqual(['b']);
  });

  it('a duplicate of createMany is thrown, because the transaction is lost by it', async () => {
    await plant('a');
    const failing = api().transaction(async (tx) => {
      await tx.store(Order).createMany([{ number: 'b' }, { number: 'a' }]);
    });
    await expect(failing).rejects.toMatchObject({ status: 409, errors: [{ field: '1.number' }] });
    expect(await orders().countDocuments()).toBe(1);
  });
});

describe('20 writers of the same records at once', () => {
  it('each succeed or are told that they did not, and the revisions add up', async () => {
    await plant('a', 'b', 'c');
    const store = open();
    const done = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => store.updateMany({}, { total: index })));
    const succeeded = done.filter(({ status }) => status === 'fulfilled').length;
    for (const one of done) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'write_conflict' });
    expect(succeeded).toBeGreaterThan(0);
    expect((await records()).map(({ revision }) => revision)).toEqual(Array(3).fill(3 + succeeded));
  });
});

it('numbers of decimals are taken in filters and changes as elsewhere', async () => {
  const Price = defineModel('Price', { collection: 'prices', fields: { net: t.decimal() } });
  const prices = openStore(Price, { db: database.db });
  await prices.createMany([{ net: 1 }, { net: '2.5' }, { net: Decimal128.fromString('3') }]);
  expect(await prices.updateMany({ net: { gte: 2 } }, { net: '0.1' })).toEqual({ matched: 2, modified: 2 });
});
