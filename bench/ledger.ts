/**
 * What it costs to keep each change: `node --import tsx bench/ledger.ts` compares patches of records with and without a
 * history and an outbox, and the same by the driver alone: the record of before, the write, the entry, the event, the
 * commit. The rows that both leave are compared first. All are measured in turns in one run, 16 at a time, each on a
 * record of its own, so that the ratios hold on a busy machine, too.
 */
import { deepStrictEqual } from 'node:assert/strict';
import { type ClientSession, MongoClient, ObjectId } from 'mongodb';
import { startReplicaSet } from '../dev/replica-set.ts';
import { defineModel, openStore, t } from '../src/index.ts';

const [atOnce, rounds, perRound] = [16, 7, 400];
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
for (const name of [...Object.values(models).map(({ collection }) => collection), 'bare'])
  for (const one of [name, `${name}_history`]) await db.createCollection(one);
for (const name of ['events', 'bare_events']) await db.createCollection(name);
let sent = 0;
client.on('commandStarted', () => sent++);

const ids = Array.from({ length: atOnce }, (_, index) => `r${index}`);
const record = { title: 'title', note: 'x'.repeat(400), count: 0 };
let count = 0;

interface Bare {
  readonly _id: string;
  readonly title: string;
  readonly note: string;
  readonly count: number;
  readonly updatedAt: Date;
  readonly revision: number;
  readonly _life: ObjectId;
}

const bare = db.collection<Bare>('bare');
const kept = ['title', 'note', 'count', 'updatedAt'] as const;

async function byHand(id: string, hasEvents: boolean): Promise<void> {
  const session = client.startSession();
  session.startTransaction({ readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } });
  try {
    await change(id, session, hasEvents);
    await session.commitTransaction();
  } catch (error) {
    await session.abortTransaction();
    throw error;
  } finally {
    await session.endSession();
  }
}

async function change(id: string, session: ClientSession, hasEvents: boolean): Promise<void> {
  const given = { session, maxTimeMS: 10_000 };
  const before = await bare.findOne({ _id: id }, given);
  const at = new Date();
  const update = { $set: { count: ++count, updatedAt: at }, $inc: { revision: 1 } };
  const after = await bare.findOneAndUpdate({ _id: id }, update, { ...given, returnDocument: 'after' });
  if (!before || !after) throw new Error('There is no such record.');
  const changed = kept.filter((name) => before[name].valueOf() !== after[name].valueOf());
  const { _life: life, revision } = after;
  const common = { record: id, life, revision, at, change: 'patched', actor: null };
  await db.collection('bare_history').insertOne(
    {
      _id: new ObjectId(),
      ...common,
      previous: before.revision,
      paths: changed.filter((name) => name !== 'updatedAt'),
      private: [],
      changes: changed.map((path) => ({ path, before: before[path], after: after[path] })),
    },
    given,
  );
  if (!hasEvents) return;
  const event = { _id: new ObjectId(), type: 'both.patched', model: 'Both', subject: id, collection: 'both', ...common, state: 'pending' };
  await db.collection('bare_events').insertOne(event, given);
}

const contestants: [string, (id: string) => Promise<unknown>][] = [];
for (const [name, model] of Object.entries(models)) {
  const store = openStore(model, { db });
  for (const id of ids) await store.create({ id, ...record });
  contestants.push([name, (id) => store.update(id, { count: ++count })]);
}
for (const _id of ids) await bare.insertOne({ _id, ...record, updatedAt: new Date(), revision: 0, _life: new ObjectId() });
contestants.push(['a history by hand', (id) => byHand(id, false)], ['both by hand', (id) => byHand(id, true)]);

/** Patches a record once, and returns what that leaves, without what differs between any two patches. */
async function leave(name: string, collection: string, events: string): Promise<unknown> {
  const patch = contestants.find(([one]) => one === name)?.[1];
  await patch?.(ids[0] as string);
  const last = { sort: { _id: -1 } } as const;
  const rows = [
    await db.collection(collection).findOne({ _id: ids[0] as never }),
    await db.collection(`${collection}_history`).findOne({ record: ids[0] }, last),
    await db.collection(events).findOne({ record: ids[0], collection: 'both' }, last),
  ];
  const differs = (value: unknown) => value instanceof Date || value instanceof ObjectId;
  return JSON.parse(
    JSON.stringify(rows, function (this: Record<string, unknown>, key, value) {
      const isCount = key === 'count' || (this.path === 'count' && (key === 'before' || key === 'after'));
      return isCount || differs(this[key]) ? null : value;
    }),
  );
}

deepStrictEqual(await leave('both by hand', 'bare', 'bare_events'), await leave('with both', 'both', 'events'));

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
for (const [name, { cpu, wall, commands }] of spent) {
  const hand = spent.get(name.includes('both') ? 'both by hand' : 'a history by hand');
  const parts = [median(cpu) / median(hand?.cpu ?? []), median(wall) / median(hand?.wall ?? [])].map((part) => part.toFixed(2));
  console.log(
    `${name}: ${Math.round(median(cpu))} µs of CPU and ${Math.round(median(wall))} µs each (${parts.join(' and ')} of by hand), ${commands} commands`,
  );
}
await client.close();
await replicaSet.stop();
