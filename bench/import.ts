/**
 * What an import costs: `node --import tsx bench/import.ts` creates 50,000 orders with a history by the store, in parts
 * of 1,000, and the same rows by the driver: what a careful engineer writes, with a validator of Ajv, in transactions
 * of as many records, and a row of the history for each. Both take turns in one process, part by part, so that the
 * ratios hold on a busy machine, too. Both must leave the same rows.
 */
import assert from 'node:assert/strict';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { type Db, MongoClient, ObjectId } from 'mongodb';
import { startReplicaSet } from '../dev/replica-set.ts';
import { defineModel, openStore, t } from '../dist/index.js';
import { caller, makeOrder } from './data.ts';

const [count = 50_000] = process.argv.slice(2).map(Number);
const [perCall, perTransaction] = [1_000, 500];

const Address = t.object('Address', {
  street: t.string(),
  city: t.string(),
  zip: t.string(),
  country: t.string({ minLength: 2, maxLength: 2 }),
});
const Line = t.object('Line', { sku: t.string(), name: t.string(), quantity: t.int({ minimum: 1 }), price: t.decimal() });
const Order = defineModel('Order', {
  collection: 'orders',
  history: true,
  fields: {
    number: t.string({ minLength: 1, maxLength: 40 }),
    customerId: t.objectId(),
    status: t.enum(['open', 'paid', 'sent']),
    total: t.decimal(),
    paid: t.boolean(),
    note: t.optional(t.string({ maxLength: 1_000 })),
    shipTo: Address,
    lines: t.array(Line, { maxItems: 1_000 }),
    tags: t.array(t.string(), { maxItems: 20 }),
    owner: t.string({ policy: { private: true } }),
    revision: t.revision(),
    createdAt: t.createdAt(),
    updatedAt: t.updatedAt(),
  },
});

type Given = Omit<ReturnType<typeof makeOrder>, '_id' | 'revision' | 'createdAt' | 'updatedAt'>;

function makeGiven(n: number): Given {
  const { _id, revision, createdAt, updatedAt, ...given } = makeOrder(n);
  return { ...given, owner: caller };
}

const ajv = new Ajv({ allErrors: true });
formats.default(ajv);
const text = { type: 'string' };
const isOrder = ajv.compile({
  type: 'object',
  properties: {
    number: { type: 'string', minLength: 1, maxLength: 40 },
    customerId: {},
    status: { enum: ['open', 'paid', 'sent'] },
    total: {},
    paid: { type: 'boolean' },
    note: { type: 'string', maxLength: 1_000 },
    shipTo: {
      type: 'object',
      properties: { street: text, city: text, zip: text, country: { type: 'string', minLength: 2, maxLength: 2 } },
      required: ['street', 'city', 'zip', 'country'],
      additionalProperties: false,
    },
    lines: {
      type: 'array',
      maxItems: 1_000,
      items: {
        type: 'object',
        properties: { sku: text, name: text, quantity: { type: 'integer', minimum: 1 }, price: {} },
        required: ['sku', 'name', 'quantity', 'price'],
        additionalProperties: false,
      },
    },
    tags: { type: 'array', items: text, maxItems: 20 },
    owner: text,
  },
  required: ['number', 'customerId', 'status', 'total', 'paid', 'shipTo', 'lines', 'tags', 'owner'],
  additionalProperties: false,
});

const replicaSet = await startReplicaSet();
const client = await MongoClient.connect(replicaSet.uri);
const [ours, hand] = [client.db('bench_import'), client.db('bench_import_by_hand')] as const;
for (const db of [ours, hand]) {
  await db.dropDatabase();
  for (const name of ['orders', 'orders_history']) await db.createCollection(name);
  await db.collection('orders_history').createIndex({ record: 1, life: 1, revision: -1 });
}
const store = openStore(Order, { db: ours });

async function importOurs(given: readonly Given[]): Promise<void> {
  for (const one of await store.createMany(given as never)) if ('error' in one) throw one.error;
}

const kept = ['number', 'customerId', 'status', 'total', 'paid', 'note', 'shipTo', 'lines', 'tags', 'createdAt', 'updatedAt'] as const;

async function importByHand(given: readonly Given[]): Promise<void> {
  for (let at = 0; at < given.length; at += perTransaction) {
    const now = new Date();
    const records = given.slice(at, at + perTransaction).map((one) => {
      if (!isOrder(one)) throw new Error(ajv.errorsText(isOrder.errors));
      return { _id: new ObjectId(), ...one, revision: 0, createdAt: now, updatedAt: now, _life: new ObjectId() };
    });
    const entries = records.map((record) => ({
      _id: new ObjectId(),
      record: record._id,
      life: record._life,
      revision: 0,
      at: now,
      change: 'created',
      actor: null,
      paths: kept.filter((path) => path !== 'updatedAt' && record[path] !== undefined),
      private: ['owner'],
      changes: kept.flatMap((path) => (record[path] === undefined ? [] : [{ path, after: record[path] }])),
    }));
    await client.withSession((session) =>
      session.withTransaction(
        async () => {
          await hand.collection('orders').insertMany(records, { session, ordered: false });
          await hand.collection('orders_history').insertMany(entries, { session, ordered: false });
        },
        { readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } },
      ),
    );
  }
}

const spent = { ours: { cpu: 0, wall: 0 }, hand: { cpu: 0, wall: 0 } };
const runs = { ours: importOurs, hand: importByHand };
const ratios: { cpu: number; wall: number }[] = [];
for (let at = -5 * perCall; at < count; at += perCall) {
  const given = Array.from({ length: perCall }, (_, n) => makeGiven(at + 5 * perCall + n));
  const each = { ours: { cpu: 0, wall: 0 }, hand: { cpu: 0, wall: 0 } };
  for (const name of (at / perCall) % 2 ? (['ours', 'hand'] as const) : (['hand', 'ours'] as const)) {
    const [begun, cpu] = [performance.now(), process.cpuUsage()];
    await runs[name](given);
    const { user, system } = process.cpuUsage(cpu);
    each[name] = { cpu: (user + system) / 1_000, wall: performance.now() - begun };
    if (at < 0) continue; // warms up
    spent[name].cpu += each[name].cpu;
    spent[name].wall += each[name].wall;
  }
  if (at >= 0) ratios.push({ cpu: each.ours.cpu / each.hand.cpu, wall: each.ours.wall / each.hand.wall });
}
await checkSame();
const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] as number;
for (const [name, { cpu, wall }] of Object.entries(spent))
  console.log(`${name}: ${(cpu / 1_000).toFixed(2)} s of CPU, ${(wall / 1_000).toFixed(2)} s`);
console.log(
  `ratio: ${(spent.ours.cpu / spent.hand.cpu).toFixed(2)} of the CPU, ${(spent.ours.wall / spent.hand.wall).toFixed(2)} of the time;` +
    ` medians of parts ${median(ratios.map(({ cpu }) => cpu)).toFixed(2)} and ${median(ratios.map(({ wall }) => wall)).toFixed(2)}`,
);
await client.close();
await replicaSet.stop();

/** Throws unless both have left the same, but for ids and times. */
async function checkSame(): Promise<void> {
  const rowsOf = async (db: Db) => {
    const [order] = await db.collection('orders').find({ number: 'A-1234' }).toArray();
    const [entry] = await db.collection('orders_history').find({ record: order?._id }).toArray();
    const counts = await Promise.all(['orders', 'orders_history'].map((name) => db.collection(name).countDocuments()));
    return JSON.parse(
      JSON.stringify({ order, entry, counts }, (key, value) =>
        /^(?:_id|record|life|_life|_koaLife|at|createdAt|updatedAt)$/.test(key) ? '-' : value,
      ).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '-'),
    );
  };
  const [one, other] = await Promise.all([rowsOf(ours), rowsOf(hand)]);
  assert.deepEqual(one, other);
}
