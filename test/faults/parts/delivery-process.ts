/**
 * A process of its own that is killed: `delivery-process.ts <uri> <database> <role>`.
 *
 * A `writer` creates and changes parcels, by a name of its own. A `worker` delivers their events, each by a row in
 * `received`. A `holder` does the same, but holds each event until it is told to go on; it tells what it holds, and
 * what `observe` is told.
 */
import { MongoClient } from 'mongodb';
import { Parcel, parcelsApi, type Received } from './parcels.ts';

const [, , uri = '', database, role] = process.argv;
const appName = role === 'writer' ? 'writer' : 'faults';
const client = await MongoClient.connect(uri, { appName, minHeartbeatFrequencyMS: 20, heartbeatFrequencyMS: 500 });
const db = client.db(database);
const api = parcelsApi(db);
const say = (what: object) => process.send?.(what);

async function write(): Promise<never> {
  const parcels = api.store(Parcel);
  for (;;) {
    const id = Math.floor(Math.random() * 8);
    const n = Math.floor(Math.random() * 1e9);
    await parcels.update(id, { n }).catch(() => parcels.create({ id, n }).catch(() => undefined));
  }
}

async function deliver(): Promise<void> {
  const received = db.collection<Received>('received');
  await api.deliver({
    lease: 1_000,
    poll: 300,
    retry: { first: 50, longest: 200 },
    async handle({ id: event, subject, revision }, { signal }) {
      if (role === 'holder') {
        say({ holds: event });
        await new Promise((resolve) => process.once('message', resolve));
      }
      signal.throwIfAborted();
      await received.insertOne({ worker: process.pid, event, subject, revision }, { writeConcern: { w: 'majority' } });
    },
    observe: ({ kind }) => void say({ kind }),
  });
}

process.once('disconnect', () => process.exit());
if (role === 'writer') for (let at = 0; at < 4; at++) void write();
else await deliver();
say({ kind: 'ready' });
