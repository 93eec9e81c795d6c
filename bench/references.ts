/**
 * What references that hold cost: `npx tsx bench/references.ts` compares creates that name one parent, at 64 at a time,
 * with the same creates without a check, and with the same commands by the driver alone: no library can cost less. All
 * are measured in turns in one run, so that the ratios hold on a busy machine, too. It counts the commands of each
 * create.
 */
import { type ClientSession, MongoClient, ObjectId } from 'mongodb';
import { startReplicaSet } from '../dev/replica-set.ts';
import { defineModel, openStore, service, t } from '../src/index.ts';

const [atOnce, rounds, perRound] = [64, 5, 1_000];
const Label = defineModel('Label', { collection: 'labels', fields: { id: t.string(), text: t.string() } });
const Held = defineModel('Task', {
  collection: 'held',
  fields: { labelId: t.ref('Label', { id: t.string(), onDelete: 'restrict' }), text: t.string() },
});
const Free = defineModel('FreeTask', { collection: 'free', fields: { labelId: t.string(), text: t.string() } });

const replicaSet = await startReplicaSet();
const client = await MongoClient.connect(replicaSet.uri, { monitorCommands: true, minPoolSize: atOnce });
const db = client.db('bench_references');
await db.dropDatabase();
for (const name of ['labels', 'held', 'free', 'latches']) await db.createCollection(name);
await db.collection<{ _id: string; text: string }>('labels').insertOne({ _id: 'shared', text: 'x' });
await db.collection('held').createIndex({ labelId: 1 });
await db.collection('free').createIndex({ labelId: 1 });
let sent = 0;
client.on('commandStarted', () => sent++);

const held = openStore(Held, { db, models: [Label] });
const free = openStore(Free, { db });
const task = { labelId: 'shared', text: 'x' };
const { transaction } = service().api({ db, resources: [], models: [Label, Held, Free] });
interface Bare {
  readonly _id: string | number | ObjectId;
}
const [bare, labels, latches] = ['free', 'labels', 'latches'].map((name) => db.collection<Bare>(name)) as [Many, Many, Many];
type Many = ReturnType<typeof db.collection<Bare>>;
await latches.insertMany(Array.from({ length: atOnce }, (_, n) => ({ _id: n })));
const numbers = Array.from({ length: atOnce }, (_, n) => n);

/** Runs commands in a transaction by the driver alone. */
async function inTransaction(run: (session: ClientSession) => Promise<unknown>): Promise<void> {
  const session = client.startSession();
  session.startTransaction({ readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } });
  try {
    await run(session);
    await session.commitTransaction();
  } finally {
    await session.endSession();
  }
}

/** The same with a latch that no other one has, and a read of the parent unless that is left out. */
async function latched(run: (session: ClientSession) => Promise<unknown>, { readsParent = true } = {}): Promise<void> {
  const n = numbers.pop() as number;
  try {
    await inTransaction(async (session) => {
      await latches.updateOne({ _id: n }, { $inc: { uses: 1 } }, { session });
      if (readsParent) await labels.findOne({ _id: 'shared' }, { session, projection: { _id: 1 } });
      await run(session);
    });
  } finally {
    numbers.push(n);
  }
}

/** What is compared: how one or many records are created, and how many at once. */
const contestants: Readonly<Record<string, { readonly create: () => Promise<unknown>; readonly records?: number }>> = {
  'a create with `onDelete`': { create: () => held.create(task) },
  'an unchecked one': { create: () => free.create(task) },
  'in a transaction of its own, with `onDelete`': { create: () => transaction((tx) => tx.store(Held).create(task)) },
  'in a transaction of its own, unchecked': { create: () => transaction((tx) => tx.store(Free).create(task)) },
  'by the driver: latch, parent, insert, commit': { create: () => latched((session) => bare.insertOne(newTask(), { session })) },
  'by the driver: latch, insert, commit': {
    create: () => latched((session) => bare.insertOne(newTask(), { session }), { readsParent: false }),
  },
  'by the driver: insert, commit': { create: () => inTransaction((session) => bare.insertOne(newTask(), { session })) },
  'by the driver: latch, parent, 32 inserts, commit': {
    create: () => latched((session) => bare.insertMany(newTasks(), { session, ordered: false })),
    records: 32,
  },
  'by the driver: 32 inserts': { create: () => bare.insertMany(newTasks(), { ordered: false }), records: 32 },
};
const newTask = () => ({ ...task, _id: new ObjectId() });
const newTasks = () => Array.from({ length: 32 }, newTask);

const rates: Record<string, number[]> = {};
const commands: Record<string, number> = {};
for (let round = 0; round <= rounds; round++)
  for (const [name, { create, records = 1 }] of Object.entries(contestants)) {
    sent = 0;
    const startedAt = performance.now();
    let left = Math.ceil(perRound / records);
    const failures: unknown[] = [];
    const worker = async () => {
      while (left-- > 0) await create().catch((error: unknown) => failures.push(error));
    };
    await Promise.all(Array.from({ length: Math.max(2, atOnce / records) }, worker));
    if (failures.length > 0) console.log(name, failures.length, 'failures', failures[0]);
    if (round === 0) continue; // warms up
    rates[name] = [...(rates[name] ?? []), (perRound * 1_000) / (performance.now() - startedAt)];
    commands[name] = sent / perRound;
  }
for (const [name, found] of Object.entries(rates)) {
  const median = found.sort((a, b) => a - b)[Math.floor(found.length / 2)] as number;
  console.log(`${name}: ${Math.round(median)} a second, ${commands[name]?.toFixed(2)} commands each`);
}
const records = Array.from({ length: 1_000 }, () => task);
for (const all of [false, true, false, true]) {
  const startedAt = performance.now();
  sent = 0;
  if (all) await held.createMany(records, { all: true });
  else await held.createMany(records);
  console.log(`createMany of 1,000${all ? ' with `all`' : ''}: ${Math.round(performance.now() - startedAt)} ms, ${sent} commands`);
}
await client.close();
await replicaSet.stop();
