/**
 * What it costs to keep each change: `node --import tsx bench/ledger.ts` compares patches of records with and without a
 * history and an outbox, and the same commands by the driver alone: the record of before, the write, the entry, the
 * commit. All are measured in turns in one run, 16 at a time, each on a record of its own, so that the ratios hold on a
 * busy machine, too.
 */
import { type ClientSession, MongoClient, ObjectId } from 'mongodb';
import { startReplicaSet } from '../dev/replica-set.ts';
import { defineModel, openStore, t } from '../src/index.ts';

const [atOnce, rounds, perRound] = [16, 7, 800];
const fields = { id: t.string(), title: t.string(), note: t.string(), count: t.int(), updatedAt: t.updatedAt(), revision: t.revision() };
const models = {
  'a patch': defineModel('Plain', { collection: 'plain', fields }),
  'with `history`': defineModel('Kept', { collection: 'kept', history: true, fields }),
  'with `outbox`': defineModel('Told', { collection: 'told', outbox: true, fields }),
  'with both': defineModel('Both', { collection: 'both', history: true, outbox: true, fields }),
};

const replicaSet = await startReplicaSet();
const client = await MongoClient.connect(replicaSet.uri, { monitorCommands: true, minPoolSize: atOnce });
const db = client.db('bench_ledger');
await db.dropDatabase();
for (const { collection } of Object.values(models))
  for (const name of [collection, `${collection}_history`]) await db.createCollection(name);
for (const name of ['events', 'bare', 'bare_history']) await db.createCollection(name);
let sent = 0;
client.on('commandStarted', () => sent++);

const ids = Array.from({ length: atOnce }, (_, index) => `r${index}`);
const record = { title: 'title', note: 'x'.repeat(400), count: 0 };
let count = 0;

async function byHand(id: string): Promise<void> {
  const session = client.startSession();
  session.startTransaction({ readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } });
  try {
    await change(id, session);
    await session.commitTransaction();
  } finally {
    await session.endSession();
  }
}

async function change(id: string, session: ClientSession): Promise<void> {
  const bare = db.collection<{ _id: string; count: number }>('bare');
  const before = await bare.findOne({ _id: id }, { session });
  const update = { $set: { count: ++count, updatedAt: new Date() }, $inc: { revision: 1 } };
  const after = await bare.findOneAndUpdate({ _id: id }, update as never, { session, returnDocument: 'after' });
  const changes = [{ path: 'count', before: before?.count, after: after?.count }];
  await db.collection('bare_history').insertOne({ _id: new ObjectId(), record: id, at: new Date(), changes }, { session });
}

const contestants: [string, (id: string) => Promise<unknown>][] = [];
for (const [name, model] of Object.entries(models)) {
  const store = openStore(model, { db });
  for (const id of ids) await store.create({ id, ...record });
  contestants.push([name, (id) => store.update(id, { count: ++count })]);
}
for (const _id of ids) await db.collection('bare').insertOne({ _id: _id as never, ...record, revision: 0 });
contestants.push(['a history by hand', byHand]);

const spent = new Map<string, { readonly cpu: number[]; readonly wall: number[]; commands: number }>();
for (let round = 0; round <= rounds; round++)
  for (const [name, patch] of contestants) {
    const found = spent.get(name) ?? { cpu: [], wall: [], commands: 0 };
    spent.set(name, found);
    sent = 0;
    const [begun, cpu] = [performance.now(), process.cpuUsage()];
    await Promise.all(
      ids.map(async (id) => {
        for (let left = perRound / atOnce; left > 0; left--) await patch(id);
      }),
    );
    const { user, system } = process.cpuUsage(cpu);
    if (round === 0) continue; // warms up
    found.cpu.push((user + system) / perRound);
    found.wall.push(((performance.now() - begun) * 1_000) / perRound);
    found.commands = sent / perRound;
  }

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
const [hand] = [spent.get('a history by hand')];
for (const [name, { cpu, wall, commands }] of spent) {
  const parts = [median(cpu) / median(hand?.cpu ?? []), median(wall) / median(hand?.wall ?? [])].map((part) => part.toFixed(2));
  console.log(
    `${name}: ${Math.round(median(cpu))} µs of CPU and ${Math.round(median(wall))} µs each (${parts.join(' and ')} of by hand), ${commands} commands`,
  );
}
await client.close();
await replicaSet.stop();
