import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Db, MongoClient } from 'mongodb';
import { applyIndexes } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useProgram } from '../support/processes/use-program.ts';
import { until } from '../support/until.ts';
import { type Deployment, failCommands, limitTransactions, startMongods, untilGone } from './parts/mongods.ts';
import { Parcel, parcelsApi, type Received } from './parts/parcels.ts';
import { rounds } from './parts/random.ts';

const program = useProgram(join(import.meta.dirname, 'parts/delivery-process.ts'));
type Role = 'writer' | 'worker' | 'holder';

interface Started {
  readonly child: ChildProcess;
  readonly told: Any[];
}

const limit = 300_000;
let deployment: Deployment;
let client: MongoClient;
let db: Db;
let name = 0;
const processes = new Set<ChildProcess>();

beforeAll(async () => {
  deployment = await startMongods(3);
  await limitTransactions(deployment, 1);
  client = await deployment.connect();
});
beforeEach(async () => {
  db = client.db(`delivery${name++}`);
  await db.createCollection('parcels');
  await db.createCollection('received');
  await applyIndexes(parcelsApi(db));
});
afterEach(async () => {
  await failCommands(deployment, 'off');
  await Promise.all(Array.from(processes, kill));
});
afterAll(() => deployment.stop());

async function start(role: Role): Promise<Started> {
  const child = fork(program, [deployment.uri, db.databaseName, role], { execArgv: [] });
  processes.add(child);
  const told: Any[] = [];
  child.on('message', (message) => told.push(message));
  await until(() => told.some(({ kind }) => kind === 'ready'));
  return { child, told };
}

async function kill(child: ChildProcess): Promise<void> {
  if (!processes.delete(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGCONT');
  child.kill('SIGKILL');
  await gone;
}

const events = () => db.collection<Any>('events');
/** By a command that no test lets fail. */
const untilDelivered = () => until(async () => (await events().distinct('state', { state: { $ne: 'delivered' } })).length === 0);

/** Every change has one event, every event a change, and each was received, in the order of its record. */
async function expectAll(): Promise<void> {
  const all = await events().find().toArray();
  const parcels = await db.collection<Any>('parcels').find().toArray();
  expect(parcels.length).toBeGreaterThan(0);
  for (const { _id, revision } of parcels) {
    const ofRecord = all.filter((one) => one.record === _id).map((one) => one.revision);
    expect(ofRecord.sort((a, b) => a - b)).toEqual(Array.from({ length: revision + 1 }, (_, at) => at));
  }
  expect(all).toHaveLength(parcels.reduce((sum, { revision }) => sum + revision + 1, 0));
  const received = await db.collection<Received>('received').find().sort({ $natural: 1 }).toArray();
  expect(new Set(received.map(({ event }) => event))).toEqual(new Set(all.map(({ _id }) => String(_id))));
  for (const { _id } of parcels) {
    const revisions = received.filter(({ subject }) => subject === String(_id)).map(({ revision }) => revision);
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
  }
}

describe('the delivery of events', () => {
  it(
    'loses nothing and keeps the order of each record when workers and writers are killed',
    async () => {
      const running = await Promise.all(
        (['writer', 'writer', 'worker', 'worker'] as const).map(async (role) => ({ role, ...(await start(role)) })),
      );
      for (let round = 0; round < 4 * rounds; round++) {
        await delay(Math.random() * 1_000);
        const at = round % running.length;
        const { child, role } = running[at] as (typeof running)[number];
        await kill(child);
        running[at] = { role, ...(await start(role)) };
      }
      for (const { child, role } of running) if (role === 'writer') await kill(child);
      await untilGone(deployment, 'writer');
      await untilDelivered();
      await expectAll();
    },
    limit,
  );

  it(
    'loses nothing when the primary steps down',
    async () => {
      const writer = await start('writer');
      const worker = await start('worker');
      for (let round = 0; round < 2 * rounds; round++) {
        await delay(1_000);
        await deployment.admin
          .db('admin')
          .command({ replSetStepDown: 3, secondaryCatchUpPeriodSecs: 2 })
          .catch(() => undefined);
        const before = worker.told.filter(({ kind }) => kind === 'delivered').length;
        await until(() => worker.told.filter(({ kind }) => kind === 'delivered').length > before + 10);
      }
      await kill(writer.child);
      await untilGone(deployment, 'writer');
      await untilDelivered();
      await expectAll();
    },
    limit,
  );

  it(
    'leaves an event to another worker that has taken it over from one that stood still',
    async () => {
      await parcelsApi(db).store(Parcel).create({ id: 1, n: 1 });
      const first = await start('holder');
      await until(() => first.told.some(({ holds }) => holds));
      first.child.kill('SIGSTOP');
      const second = await start('holder');
      await until(() => second.told.some(({ holds }) => holds));
      const held = await events().findOne({});
      first.child.send('go on');
      first.child.kill('SIGCONT');
      await until(() => first.told.some(({ kind }) => kind === 'lost'));
      const after = await events().findOne({});
      expect(after).toMatchObject({ state: 'pending', attempts: 2 });
      expect(after?.lease.token).toEqual(held?.lease.token);
      second.child.send('go on');
      await untilDelivered();
      expect(first.told.map(({ kind }) => kind)).not.toContain('delivered');
      expect(await db.collection('received').countDocuments()).toBe(1);
    },
    limit,
  );

  it.each([
    ['a claim', { failCommands: ['findAndModify'] }],
    ['a look, a renewal or an acknowledgement', { failCommands: ['find', 'update'] }],
  ])('goes on when %s fails', async (_what, data) => {
    const errors = [{ errorCode: 91 }, { closeConnection: true }, { errorCode: 8000 }];
    const parcels = parcelsApi(deployment.admin.db(db.databaseName)).store(Parcel);
    for (let id = 0; id < 4; id++) await parcels.create({ id, n: 0 });
    const worker = await start('worker');
    for (const error of errors) {
      await failCommands(deployment, { times: 6 }, { ...data, ...error });
      for (let id = 0; id < 4; id++) await parcels.update(id, { n: Math.floor(Math.random() * 1e9) });
      await untilDelivered();
      await failCommands(deployment, 'off');
    }
    await kill(worker.child);
    await expectAll();
  });

  it(
    'needs no change stream: a worker that may not open one looks from time to time',
    async () => {
      const worker = await start('worker');
      await failCommands(deployment, 'alwaysOn', { failCommands: ['aggregate', 'getMore'], errorCode: 13 });
      const parcels = parcelsApi(deployment.admin.db(db.databaseName)).store(Parcel);
      for (let id = 0; id < 4; id++) await parcels.create({ id, n: 0 });
      await untilDelivered();
      await kill(worker.child);
      const other = await start('worker'); // which has never had one
      for (let id = 0; id < 4; id++) await parcels.update(id, { n: 1 });
      await untilDelivered();
      await failCommands(deployment, 'off');
      await kill(other.child);
      await expectAll();
    },
    limit,
  );
});
