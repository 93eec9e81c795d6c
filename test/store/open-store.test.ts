import { Decimal128, ObjectId } from 'mongodb';
import { defineModel, t } from '../../src/index.ts';
import { Work } from '../../src/mongo/driver/work.ts';
import { openStore } from '../../src/store/open-store.ts';
import { Stores } from '../../src/store/stores.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';

const Address = t.object('Address', { city: t.string(), zip: t.optional(t.string()), kind: t.string({ default: 'home' }) });
const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    number: t.string({ unique: true }),
    status: t.enum(['open', 'paid'], { default: 'open', policy: { insert: false } }),
    total: t.decimal({ minimum: '0' }),
    big: t.int64({ default: 0n }),
    shipTo: t.nullable(Address),
    note: t.optional(t.string()),
    secret: t.nullable(t.string({ maxLength: 3 }), { policy: { private: true } }),
    owner: t.string({ default: 'ann' }),
    revision: t.revision(),
    createdAt: t.createdAt(),
    updatedAt: t.updatedAt(),
  },
});
const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const open = () => openStore(Order, { db: database.db });
const total = (text: string) => Decimal128.fromString(text);

beforeEach(async () => {
  await database.db.dropDatabase();
  await database.db.collection('orders').createIndex({ number: 1 }, { unique: true });
});

describe('the store of a model', () => {
  it('creates a record with id, defaults, revision and timestamps, and gets it back', async () => {
    const order = await open().create({ number: 'a', total: '12.50', shipTo: { city: 'Rome' }, secret: 'abc' });
    expect(order).toMatchObject({ number: 'a', status: 'open', total: total('12.50'), big: 0n, owner: 'ann', revision: 0, secret: 'abc' });
    expect(order.shipTo).toEqual({ city: 'Rome', kind: 'home' });
    expect([order.id, order.createdAt]).toEqual([expect.any(ObjectId), expect.any(Date)]);
    expect('note' in order).toBe(false);
    expect(await open().get(order.id)).toEqual(order);
    expect(await open().get(String(order.id))).toEqual(order);
  });

  it('takes numbers, text and Decimal128 for a decimal, in documents, changes and filters', async () => {
    for (const [number, given] of Object.entries({ a: 5, b: '5.0', c: total('5') })) await open().create({ number, total: given });
    expect(await open().count({ total: { gte: 5, lt: '5.1' } })).toBe(3);
    const [order] = await open().find({ number: 'a' });
    const changed = await open().update(order?.id ?? '', { total: 0.1 });
    expect(changed.total).toEqual(total('0.1'));
    await expect(open().create({ number: 'x', total: 'five' })).rejects.toMatchObject({ errors: [{ field: 'total' }] });
    await expect(open().create({ number: 'x', total: Number.NaN })).rejects.toMatchObject({ errors: [{ field: 'total' }] });
  });

  it('answers as the routes do: 404, 409, 412, 422', async () => {
    const orders = open();
    const { id } = await orders.create({ number: 'a', total: 1 });
    await expect(orders.get(new ObjectId())).rejects.toMatchObject({ status: 404 });
    await expect(orders.get('no id')).rejects.toMatchObject({ status: 404 });
    await expect(orders.create({ number: 'a', total: 1 })).rejects.toMatchObject({ status: 409, errors: [{ field: 'number' }] });
    await expect(orders.update(id, { total: 2 }, { ifMatch: 1 })).rejects.toMatchObject({ status: 412 });
    await expect(orders.remove(id, { ifMatch: 1n })).rejects.toMatchObject({ status: 412 });
    await expect(orders.update(id, { total: -1 })).rejects.toMatchObject({ status: 422, errors: [{ field: 'total', rule: 'minimum' }] });
    await expect(orders.update(id, { shipTo: { zip: '1' } })).rejects.toMatchObject({ status: 422, errors: [{ field: 'shipTo' }] });
    const own = { revision: 5, createdAt: new Date() } as object;
    await expect(orders.update(id, own)).rejects.toMatchObject({ errors: [{ field: 'revision' }, { field: 'createdAt' }] });
    await expect(orders.create({ number: 'b', total: 1, ...own })).rejects.toMatchObject({ status: 422 });
  });

  it('answers 422 for a key that is no field, as the routes do', async () => {
    const { id } = await open().create({ number: 'a', total: 1 });
    const unknown = { status: 422, errors: [{ field: 'nothing', rule: 'unknown_field' }] };
    await expect(open().update(id, { nothing: 1 } as object)).rejects.toMatchObject(unknown);
    await expect(open().create({ number: 'b', total: 1, nothing: 1 } as never)).rejects.toMatchObject(unknown);
  });

  it('throws a plain Error for a value that does not fit a private field, which no client must hear of', async () => {
    const failing = open().create({ number: 'a', total: 1, secret: 'too long' });
    await expect(failing).rejects.not.toHaveProperty('status');
    await expect(open().create({ number: 'a', total: 1, secret: 'too long' })).rejects.toThrow('`secret`');
  });

  it('throws a plain Error for a key that is no field in a private object, whose name no client must hear of', async () => {
    const Inner = t.object('Inner', { x: t.optional(t.int()) });
    const fields = { inner: t.nullable(Inner, { policy: { private: true } }), open: t.nullable(Inner), all: t.map(Inner) };
    const store = openStore(defineModel('Hidden', { collection: 'hidden', fields }), { db: database.db });
    const { id } = await store.create({ all: {} });
    for (const wrong of [{ inner: { nothing: 1 } }, { inner: { nothing: 1 }, nothing: 1 }] as object[]) {
      await expect(store.create({ all: {}, ...wrong })).rejects.not.toHaveProperty('status');
      await expect(store.update(id, wrong)).rejects.toThrow('`inner.nothing`');
    }
    const both = { all: {}, inner: { y: 1 }, 'inner.y': 1 } as never; // two errors with one path
    await expect(store.create(both)).rejects.not.toHaveProperty('status');
    await expect(store.create({ ...(both as object), inner: { x: 1 } } as never)).rejects.toMatchObject({ status: 422 });
    const keys = { open: { 'x.y': 1 }, all: { 'a.b': { 'inner.x': 1 } }, 'inner.x': 1, ['__proto__']: 1 };
    const named = ['open.x.y', 'all.a.b.inner.x', 'inner.x', '__proto__'].map((field) => ({ field, rule: 'unknown_field' }));
    const refused = { status: 422, errors: expect.arrayContaining(named.map((error) => expect.objectContaining(error))) };
    await expect(store.create(keys as never)).rejects.toMatchObject(refused);
    await expect(store.update(id, keys as never)).rejects.toMatchObject(refused);
  });

  it('tells what clients know from what is private also where the keys of a map have dots', async () => {
    const Part = t.object('Part', { name: t.string(), secret: t.optional(t.string({ maxLength: 3 }), { policy: { private: true } }) });
    const Parts = defineModel('Parts', { collection: 'parts', fields: { parts: t.map(Part) } });
    const store = openStore(Parts, { db: database.db });
    const { id } = await store.create({ parts: {} });
    const wrong = { status: 422, errors: [{ field: 'parts.a.b.name', rule: 'not_null' }] };
    const parts = { 'a.b': { name: null } } as never;
    await expect(store.create({ parts })).rejects.toMatchObject(wrong);
    await expect(store.update(id, { parts })).rejects.toMatchObject(wrong);
    await expect(store.save(Object.assign(await store.get(id), { parts }))).rejects.toMatchObject(wrong);
    for (const key of ['a', 'a.b', 'a.secret']) {
      const failing = store.update(id, { parts: { [key]: { name: 'x', secret: 'too long' } } });
      await expect(failing).rejects.toThrow(`\`parts.${key}.secret\``);
    }
    await expect(store.update(id, { parts: { 'a.secret': null } } as never)).rejects.toMatchObject({ status: 422 });
  });

  it('updates by merge patch: unnamed values stay, null clears, undefined counts as left out', async () => {
    const { id } = await open().create({ number: 'a', total: 1, note: 'n', shipTo: { city: 'Rome', zip: '1' } });
    const changed = await open().update(id, { total: 2, note: null, owner: undefined, shipTo: { city: 'Bari', zip: undefined } });
    expect(changed).toMatchObject({ total: total('2'), owner: 'ann', revision: 1, shipTo: { city: 'Bari', zip: '1', kind: 'home' } });
    expect('note' in changed).toBe(false);
    expect((await open().update(id, { shipTo: null })).shipTo).toBeNull();
    expect((await open().update(id, {})).revision).toBe(2);
  });

  it('saves what has changed in a document, if nothing else has written it', async () => {
    const order = await open().create({ number: 'a', total: 1 });
    const same = await open().get(order.id);
    order.status = 'paid';
    expect(await open().save(order)).toBe(order);
    expect([order.revision, (await open().get(order.id)).status]).toEqual([1, 'paid']);
    same.owner = 'ben';
    await expect(open().save(same)).rejects.toMatchObject({ status: 412 });
    await expect(open().save({ ...order })).rejects.toThrow('not a copy');
    order.owner = 'cid';
    expect((await open().save(order)).revision).toBe(2);
  });

  it('removes a record, and returns it', async () => {
    const order = await open().create({ number: 'a', total: 1 });
    expect(await open().remove(order.id, { ifMatch: order.revision })).toEqual(order);
    await expect(open().get(order.id)).rejects.toMatchObject({ status: 404 });
  });

  it('finds by filter and sort, and walks through more than one page of any order', async () => {
    const orders = open();
    await database.db.collection('orders').insertMany(
      Array.from({ length: 1_203 }, (_, index) => ({
        number: `n${index}`,
        total: total(String(index % 7)),
        status: index % 2 ? 'paid' : 'open',
      })),
    );
    expect(await orders.count({})).toBe(1_203);
    expect(await orders.find({ status: 'paid' })).toHaveLength(601);
    const top = await orders.find({}, { sort: ['-total', 'number'], limit: 3 });
    expect(top.map((one) => String(one.total))).toEqual(['6', '6', '6']);
    expect(await orders.find({}, { limit: 0 })).toEqual([]);
    const seen = new Set<string>();
    let last = '0';
    for await (const one of orders.each({}, { sort: ['total'] })) {
      expect(Number(one.total)).toBeGreaterThanOrEqual(Number(last));
      last = String(one.total);
      seen.add(one.number);
    }
    expect(seen.size).toBe(1_203);
  });

  it('walks lazily: the next records are read when they are asked for, and none after the walk was left', async () => {
    const rows = Array.from({ length: 1_203 }, (_, index) => ({ number: `n${index}`, total: total('1') }));
    await database.db.collection('orders').insertMany(rows);
    commands.clear();
    const walk = open().each({});
    expect(commands.names).toEqual([]);
    let seen = 0;
    for await (const _order of walk) if (++seen === 500) break;
    expect(commands.names).toEqual(['find']);
    const walked: string[][] = [];
    for await (const _order of open().each({})) if (++seen % 500 === 0) walked.push(commands.names.slice(1));
    expect([seen, walked]).toEqual([1_703, [['find'], ['find', 'find']]]);
    expect(commands.names).toEqual(['find', 'find', 'find', 'find']);
  });

  it('walks through nulls within a transaction too, in every order, whatever the read preference of the client', async () => {
    await database.db
      .collection('orders')
      .insertMany(Array.from({ length: 1_203 }, (_, index) => ({ number: `n${index}`, total: total('1'), note: index % 3 ? null : 'n' })));
    const stores = new Stores(database.client.db(database.db.databaseName, { readPreference: 'secondary' }));
    const work = new Work();
    const counts = await stores.transaction(
      async (tx) => {
        const seen = async (sort: 'note' | '-note', limit?: number) =>
          new Set((await tx.store(Order).find({}, { sort: [sort], ...(limit && { limit }) })).map((one) => one.number)).size;
        return [await seen('note'), await seen('-note'), await seen('-note', 1_001)];
      },
      { work: () => work },
    );
    expect(counts).toEqual([1_203, 1_203, 1_001]);
  });

  it('refuses filters and sorts that do not fit the model, and an undefined value', async () => {
    const refused = [
      { nothing: 1 },
      { total: undefined },
      { total: { gte: undefined } },
      { status: { near: 1 } },
      { number: 5 },
    ] as object[];
    for (const filter of refused) await expect(open().find(filter as never)).rejects.toThrow('The filter');
    await expect(open().find(null as never)).rejects.toThrow('A filter must be');
    await expect(open().find({}, { sort: ['shipTo'] })).rejects.toThrow('`shipTo`');
    await expect(open().find({}, { limit: -1 })).rejects.toThrow('`limit`');
    await expect(open().find({}, { lmit: 1 } as object)).rejects.toThrow('`lmit`');
    await expect(open().find({}, { sort: [5] as never })).rejects.toThrow('`sort`');
    await expect(open().find({}, { sort: ['total', '-total'] })).rejects.toThrow('`total` twice');
  });

  it('with a scope reads and writes these rows only, and puts no record outside of it', async () => {
    const all = open();
    const foreign = await all.create({ number: 'a', total: 1, owner: 'ben' });
    const mine = openStore(Order, { db: database.db, scope: { owner: 'ann' } });
    const own = await mine.create({ number: 'b', total: 1 });
    expect(await mine.find({})).toEqual([own]);
    expect(await mine.count({})).toBe(1);
    for (const attempt of [() => mine.get(foreign.id), () => mine.update(foreign.id, { total: 2 }), () => mine.remove(foreign.id)])
      await expect(attempt()).rejects.toMatchObject({ status: 404 });
    await expect(mine.save(foreign)).resolves.toBe(foreign); // nothing has changed
    foreign.total = total('9');
    await expect(mine.save(foreign)).rejects.toMatchObject({ status: 404 });
    const outside = { status: 422, errors: [{ field: 'owner', rule: 'scope' }] };
    await expect(mine.create({ number: 'c', total: 1, owner: 'ben' })).rejects.toMatchObject(outside);
    await expect(mine.update(own.id, { owner: 'ben' })).rejects.toMatchObject(outside);
    own.owner = 'ben';
    await expect(mine.save(own)).rejects.toMatchObject(outside);
  });

  it('does not name a private field of its scope to a client', async () => {
    const hidden = openStore(Order, { db: database.db, scope: { secret: 'a' } });
    const failing = hidden.create({ number: 'a', total: 1, secret: 'b' });
    await expect(failing).rejects.not.toHaveProperty('status');
    await expect(hidden.create({ number: 'a', total: 1, secret: 'b' })).rejects.toThrow('`secret`');
  });

  it('refuses a write whose revision is undefined or misspelt, which would be one of any revision', async () => {
    const { id } = await open().create({ number: 'a', total: 1 });
    for (const options of [{ ifMatch: undefined }, { ifMtch: 0 }, { ifMatch: '0' }, null] as never[]) {
      await expect(open().update(id, { total: 2 }, options)).rejects.toThrow('a write of a store');
      await expect(open().remove(id, options)).rejects.toThrow('a write of a store');
    }
    expect((await open().get(id)).revision).toBe(0);
  });

  it('refuses a scope that is no filter, and options that are misspelt', () => {
    for (const scope of [undefined, null, {}, { owner: undefined }])
      expect(() => openStore(Order, { db: database.db, scope } as never)).toThrow('scope');
    expect(() => openStore(Order, { db: database.db, scop: {} } as never)).toThrow('`scop`');
    expect(() => openStore({} as never, { db: database.db })).toThrow('defineModel');
  });
});
