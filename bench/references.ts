/**
 * What references that hold cost: `npx tsx bench/references.ts` compares creates that name one parent, at 64 at a time,
 * with the same creates without a check. All are measured in turns in one run, so that the ratios hold on a busy
 * machine, too. It counts the commands of each create.
 */
import { MongoClient } from 'mongodb';
import { startReplicaSet } from '../dev/replica-set.ts';
import { defineModel, openStore, t } from '../src/index.ts';
import { runTransaction } from '../src/mongo/driver/run-transaction.ts';
import { Work } from '../src/mongo/driver/work.ts';

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
for (const name of ['labels', 'held', 'free']) await db.createCollection(name);
await db.collection<{ _id: string; text: string }>('labels').insertOne({ _id: 'shared', text: 'x' });
await db.collection('held').createIndex({ labelId: 1 });
await db.collection('free').createIndex({ labelId: 1 });
let sent = 0;
client.on('commandStarted', () => sent++);

const held = openStore(Held, { db, models: [Label] });
const free = openStore(Free, { db });
const task = { labelId: 'shared', text: 'x' };
const contestants = {
  'a create with `onDelete`': () => held.create(task),
  'the same in a transaction, unchecked': () => {
    const work = new Work();
    return runTransaction(db, work, 10_000, async ({ session }) => {
      await db.collection('free').insertOne({ ...task }, { session });
    });
  },
  'a plain create': () => free.create(task),
} as const;

const rates: Record<string, number[]> = {};
const commands: Record<string, number> = {};
for (let round = 0; round <= rounds; round++)
  for (const [name, create] of Object.entries(contestants)) {
    sent = 0;
    const startedAt = performance.now();
    let left = perRound;
    const failures: unknown[] = [];
    const worker = async () => {
      while (left-- > 0) await create().catch((error: unknown) => failures.push(error));
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
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
