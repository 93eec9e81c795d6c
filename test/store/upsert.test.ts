import { ObjectId } from 'mongodb';
import { defineModel, openStore, t } from '../../src/index.ts';
import { Work } from '../../src/mongo/driver/work.ts';
import { Stores } from '../../src/store/stores.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { Parcel } from '../support/models/parcel.ts';

const Address = t.object('Address', { city: t.string({ caseless: true }), kind: t.string({ default: 'home' }) });
const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    id: t.string({ maxLength: 20 }),
    number: t.nullable(t.string({ unique: true, caseless: true })),
    status: t.enum(['open', 'paid'], { default: 'open', policy: { insert: false } }),
    shipTo: t.nullable(Address),
    note: t.optional(t.string()),
    secret: t.optional(t.string({ maxLength: 3 }), { policy: { private: true } }),
    owner: t.string({ default: 'ann' }),
    prices: t.map(t.int(), { default: {} }),
    extra: t.optional(t.any()),
    revision: t.revision(),
    createdAt: t.createdAt(),
    updatedAt: t.updatedAt(),
  },
  check: ({ status, note }) => (status === 'paid' && note === undefined ? 'must have a note when it is paid' : undefined),
});
const Simple = defineModel('Simple', { collection: 'simple', fields: { text: t.optional(t.string()) } });

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const open = (scope?: object) => openStore(Order, { db: database.db, ...(scope && { scope: scope as never }) });
const orders = () => database.db.collection<Any>('orders');
const stored = (id: string) => orders().findOne({ _id: id });
const old = new Date('2026-01-02T03:04:05.678Z');

beforeEach(async () => {
  await database.db.dropDatabase();
  await orders().createIndex({ 'number[case1]': 1 }, { unique: true, sparse: true });
  commands.clear();
});

describe('upsert() of an id that no record has', () => {
  it('creates the record that `create` would, by one command', async () => {
    const document = { number: 'A', shipTo: { city: 'Rome' }, secret: 'abc', prices: { a: 1 } };
    const { record, created } = await open().upsert('n', document);
    expect([created, commands.names]).toEqual([true, ['findAndModify']]);
    const { id, number, createdAt, updatedAt, ...same } = await open().create({ ...document, id: 'm', number: 'B' });
    expect(record).toEqual({ ...same, id: 'n', number: 'A', createdAt: expect.any(Date), updatedAt: record.createdAt });
    expect(await open().get('n')).toEqual(record);
    const [upserted, inserted] = [await stored('n'), await stored('m')];
    expect(Object.keys(upserted).sort()).toEqual(Object.keys(inserted).sort());
    expect(upserted).toMatchObject({ 'number[fold2]': 'a', shipTo: { 'city[fold2]': 'rome' }, revision: 0 });
  });

  it('takes an id of any type, or its text', async () => {
    const store = openStore(Simple, { db: database.db });
    const id = new ObjectId();
    expect(await store.upsert(String(id), { text: 'x' })).toEqual({ record: { id, text: 'x' }, created: true });
    expect(await store.upsert(id, {})).toEqual({ record: { id }, created: false });
    const Numbered = defineModel('Numbered', { collection: 'numbered', fields: { id: t.int64() } });
    const numbers = openStore(Numbered, { db: database.db });
    expect([await numbers.upsert('5', {}), await numbers.upsert(5n, {})]).toEqual([
      { record: { id: 5n }, created: true },
      { record: { id: 5n }, created: false },
    ]);
  });

  it('is 422 for an id that no record can have, with all other errors', async () => {
    for (const id of ['', '.', 'x'.repeat(21), 5, null, undefined]) {
      const failing = open().upsert(id as never, { owner: 5 } as never);
      await expect(failing).rejects.toMatchObject({ status: 422, errors: [{ field: 'id' }, { field: 'owner' }] });
    }
    const simple = openStore(Simple, { db: database.db });
    await expect(simple.upsert('no id', {})).rejects.toMatchObject({ status: 422, errors: [{ field: 'id', rule: 'type' }] });
    expect(commands.names).toEqual([]);
  });

  it('gives the record no value that the scope compares with', async () => {
    const scope = { owner: 'ann', note: { in: ['n'] }, 'shipTo.kind': 'home', number: null };
    await open(scope).upsert('n', { note: 'n', shipTo: { city: 'Rome' } });
    const { createdAt, updatedAt, ...others } = await stored('n');
    const shipTo = { city: 'Rome', 'city[fold2]': 'rome', kind: 'home' };
    expect(others).toEqual({ _id: 'n', status: 'open', shipTo, note: 'n', owner: 'ann', prices: {}, revision: 0 });
  });
});

describe('upsert() of the id of a record', () => {
  it('makes it what `create` would, by one command and in one step of its revision, and keeps when it was created', async () => {
    const { record: before } = await open().upsert('n', { number: 'A', note: 'n', secret: 'abc', shipTo: { city: 'Rome', kind: 'x' } });
    await orders().updateOne({ _id: 'n' }, { $set: { createdAt: old, updatedAt: old } });
    commands.clear();
    const { record, created } = await open().upsert('n', { shipTo: { city: 'Bari' }, owner: undefined });
    expect([created, commands.names]).toEqual([false, ['findAndModify']]);
    const shipTo = { city: 'Bari', kind: 'home' };
    const { number: _number, note: _note, secret: _secret, ...kept } = before;
    expect(record).toEqual({ ...kept, number: null, shipTo, revision: 1, createdAt: old, updatedAt: expect.any(Date) });
    expect(record.updatedAt.getTime()).toBeGreaterThan(old.getTime());
    expect(await open().get('n')).toEqual(record);
    expect(Object.keys(await stored('n'))).not.toEqual(expect.arrayContaining(['number[fold2]']));
  });

  it('steps the revision also if nothing changes', async () => {
    await open().upsert('n', {});
    expect((await open().upsert('n', {})).record.revision).toBe(1);
  });

  it('keeps the keys of the library, and those that are no fields', async () => {
    const kept = { _references: 3, _life: new ObjectId(), legacy: { a: [1] } };
    await orders().insertOne({ _id: 'n', status: 'paid', owner: 'ben', ...kept });
    await open().upsert('n', {});
    expect(await stored('n')).toMatchObject({ ...kept, status: 'open', owner: 'ann' });
  });

  it('knows one that has nothing but its id: it is not created, and its revision goes on', async () => {
    await orders().insertOne({ _id: 'n' });
    const { record, created } = await open().upsert('n', {});
    expect([record.revision, created, 'createdAt' in (await stored('n'))]).toEqual([1, false, false]);
  });

  it('returns a document that can be saved', async () => {
    const { record } = await open().upsert('n', {});
    record.owner = 'ben';
    expect(await open().save(record)).toMatchObject({ owner: 'ben', revision: 1 });
  });

  it('takes a record of more than half of what the database stores', async () => {
    for (const text of ['a', 'b']) {
      const { record } = await open().upsert('n', { extra: text.repeat(9 * 1024 ** 2) });
      expect((record.extra as string).startsWith(text)).toBe(true);
    }
  });
});

describe('upsert() refuses', () => {
  it('what `create` refuses, with all errors at once: 422', async () => {
    const wrong = { id: 'n', owner: 5, nothing: 1, revision: 3, createdAt: old, note: null, ['__proto__']: 1 };
    const fields = ['id', '__proto__', 'createdAt', 'nothing', 'revision', 'note', 'owner'];
    const failing = open().upsert('n', wrong as never);
    await expect(failing).rejects.toMatchObject({
      status: 422,
      errors: expect.arrayContaining(fields.map((field) => expect.objectContaining({ field }))),
    });
    await expect(open().upsert('n', null as never)).rejects.toMatchObject({ status: 422 });
    expect(commands.names).toEqual([]);
  });

  it('a value that does not fit a private field by a plain Error', async () => {
    await expect(open().upsert('n', { secret: 'too long' })).rejects.not.toHaveProperty('status');
    await expect(open().upsert('n', { secret: 'too long' })).rejects.toThrow('`secret`');
  });

  it('what the check of the model refuses, whatever is stored', async () => {
    await open().upsert('n', { status: 'paid', note: 'n' });
    await expect(open().upsert('n', { status: 'paid' })).rejects.toMatchObject({ status: 422, errors: [{ rule: 'check' }] });
  });

  it('a value that must be unique and that another record has, whatever its case: 409', async () => {
    await open().upsert('a', { number: 'X1' });
    for (const id of ['b', 'c', 'b']) {
      await open().upsert('c', {});
      const failing = open().upsert(id, { number: 'x1' });
      await expect(failing).rejects.toMatchObject({ code: 'duplicate_key', errors: [{ field: 'number' }] });
    }
    expect((await open().upsert('a', { number: 'x1' })).record).toMatchObject({ number: 'x1', revision: 1 });
  });
});

describe('upsert() within a scope', () => {
  it('says of a record outside of it what `create` says of a taken id, and leaves it alone', async () => {
    await open().upsert('n', { owner: 'ben' });
    for (const scope of [{ owner: 'ann' }, { owner: 'ann', id: { ne: 'x' } }, { id: { in: ['x', 'n'] }, owner: 'ann' }]) {
      const mine = open(scope);
      const [upserting, creating] = await Promise.all([
        mine.upsert('n', {}).catch((error: unknown) => error as Any),
        mine.create({ id: 'n' }).catch((error: unknown) => error as Any),
      ]);
      expect([upserting.status, upserting.code]).toEqual([409, 'duplicate_key']);
      expect(JSON.stringify(upserting)).toBe(JSON.stringify(creating));
      expect([upserting.detail, upserting.errors]).toEqual([creating.detail, creating.errors]);
    }
    expect(await stored('n')).toMatchObject({ owner: 'ben', revision: 0 });
  });

  it('is 422 for a record that would be outside of it, whether there is one or not', async () => {
    const mine = open({ owner: 'ann' });
    await mine.upsert('n', {});
    for (const id of ['n', 'other'])
      await expect(mine.upsert(id, { owner: 'ben' })).rejects.toMatchObject({ status: 422, errors: [{ field: 'owner', rule: 'scope' }] });
    expect(await orders().countDocuments()).toBe(1);
  });

  it('replaces and creates within it', async () => {
    const mine = open({ owner: 'ann', id: { in: ['n', 'm'] } });
    expect((await mine.upsert('n', {})).created).toBe(true);
    expect((await mine.upsert('n', { note: 'n' })).record).toMatchObject({ note: 'n', revision: 1 });
  });
});

describe('upsert() of a model with t.deletedAt()', () => {
  const store = () => openStore(Parcel, { db: database.db });

  it('says of a deleted record what `create` says of a taken id, until it is purged', async () => {
    await store().upsert('n', { place: 'a' });
    await store().remove('n');
    await expect(store().upsert('n', {})).rejects.toMatchObject({ code: 'duplicate_key', errors: [{ field: 'id' }] });
    expect(await store().get('n', { deleted: 'only' })).toMatchObject({ place: 'a', revision: 1 });
    await store().purge({ olderThan: 0 });
    expect(await store().upsert('n', {})).toMatchObject({ created: true, record: { revision: 0 } });
  });

  it('replaces a record whose time of deletion is null, and leaves a new one without', async () => {
    await database.db.collection<Any>('parcels').insertOne({ _id: 'n', deletedAt: null });
    expect(await store().upsert('n', {})).toMatchObject({ created: false });
    await store().upsert('m', {});
    expect(Object.keys(await database.db.collection<Any>('parcels').findOne({ _id: 'm' }))).not.toContain('deletedAt');
  });
});

describe('upsert() takes everything literally', () => {
  const hostile = ['$where', '$$REMOVE', '$owner', '$$ROOT', '__proto__', 'a.b', '[new]', 'constructor'];

  it.each(hostile)('%s', async (text) => {
    const keyed = Object.fromEntries([[text, 5]]);
    const extra = { list: [keyed], ...Object.fromEntries([[text, text]]) };
    for (const revision of [0, 1]) {
      const { record } = await open().upsert(text, { owner: text, note: text, shipTo: { city: text }, extra, prices: keyed });
      expect(record).toMatchObject({ id: text, owner: text, note: text, shipTo: { city: text }, revision });
      expect([Object.entries(record.prices), Object.keys(record.extra as object)]).toEqual([[[text, 5]], ['list', text]]);
      expect(await open().get(text)).toEqual(record);
    }
    expect((await orders().find({}).toArray()).length).toBe(1);
  });
});

describe('upsert() in a transaction', () => {
  const stores = () => new Stores(database.db);
  const run = (work: (tx: Any) => Promise<unknown>) => {
    const own = new Work();
    return stores().transaction(work as never, { work: () => own });
  };

  it('is a part of it: what it has created or replaced is taken back with it', async () => {
    await open().upsert('n', { owner: 'ann' });
    await run(async (tx) => {
      const both = [await tx.store(Order).upsert('n', { owner: 'ben' }), await tx.store(Order).upsert('m', {})];
      expect(both.map(({ created }) => created)).toEqual([false, true]);
      throw new Error('no');
    }).catch(() => undefined);
    expect([await stored('n'), await stored('m')]).toEqual([expect.objectContaining({ owner: 'ann', revision: 0 }), null]);
    await run((tx) => tx.store(Order).upsert('n', { owner: 'ben' }));
    expect(await stored('n')).toMatchObject({ owner: 'ben', revision: 1 });
  });

  it('must be awaited: the transaction is refused otherwise, and nothing is stored', async () => {
    const failing = run(
      async (tx) =>
        void tx
          .store(Order)
          .upsert('n', {})
          .catch(() => undefined),
    );
    await expect(failing).rejects.toThrow('await all of it');
    expect(await stored('n')).toBeNull();
  });

  it('ends it if the id is taken outside of the scope', async () => {
    await open().upsert('n', { owner: 'ben' });
    const failing = run(async (tx) => {
      await tx.store(Order).create({ id: 'm' });
      return tx.store(Order, { scope: { owner: 'ann' } }).upsert('n', {});
    });
    await expect(failing).rejects.toMatchObject({ code: 'duplicate_key' });
    expect(await stored('m')).toBeNull();
  });
});

describe('upserts of one new id at the same time', () => {
  it('all succeed: one creates, and the others replace', async () => {
    const count = 24;
    for (const id of ['a', 'b', 'c', 'd']) {
      const upsert = (_: unknown, n: number) => open(n % 2 ? { owner: 'ann' } : undefined).upsert(id, { note: `${n}` });
      const done = await Promise.all(Array.from({ length: count }, upsert));
      expect(done.filter(({ created }) => created)).toHaveLength(1);
      expect(await stored(id)).toMatchObject({ revision: count - 1 });
    }
  });
});
