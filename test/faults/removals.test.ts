import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Db, ObjectId } from 'mongodb';
import { applyIndexes } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useProgram } from '../support/processes/use-program.ts';
import { until } from '../support/until.ts';
import { Folder, foldersApi, Removal, Shortcut } from './parts/folders.ts';
import { type Deployment, failCommands, limitTransactions, startMongods } from './parts/mongods.ts';
import { rounds } from './parts/random.ts';

const program = useProgram(join(import.meta.dirname, 'parts/removals-process.ts'));
const count = 1_500;

const limit = 300_000;
let deployment: Deployment;
let db: Db;
let name = 0;
const processes = new Set<ChildProcess>();

beforeAll(async () => {
  deployment = await startMongods(3);
  await limitTransactions(deployment, 3);
});
beforeEach(async () => {
  db = (await deployment.connect()).db(`removals${name++}`);
  await applyIndexes(foldersApi(db));
  const folders = foldersApi(db).store(Folder);
  await folders.create({ id: 'f0' });
  const rows = Array.from({ length: count }, (_, at) => ({ id: `f${at + 1}`, parent: `f${Math.floor(at / 4)}` }));
  // Without checks: a parent may come after its child.
  await db.collection<Any>('folders').insertMany(rows.map(({ id, parent }) => ({ _id: id, parent, revision: 0 })));
});
afterEach(async () => {
  await failCommands(deployment, 'off');
  await Promise.all(Array.from(processes, kill));
});
afterAll(() => deployment.stop());

async function start(): Promise<ChildProcess> {
  const child = fork(program, [deployment.uri, db.databaseName], { execArgv: [] });
  processes.add(child);
  await once(child, 'message');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (!processes.delete(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

const isDone = async () => (await db.collection('removals').countDocuments({ state: { $ne: 'delivered' } })) === 0;

/** Every record is deleted, in one step of its revision, with one entry and one event. */
async function expectDeleted(id: unknown): Promise<void> {
  const folders = await db.collection('folders').find().toArray();
  expect(new Set(folders.map(({ revision, deletedAt }) => [revision, deletedAt instanceof Date].join()))).toEqual(new Set(['1,true']));
  for (const ledger of ['folders_history', 'events']) {
    const entries = await db.collection(ledger).find({ change: 'deleted' }).toArray();
    expect(entries).toHaveLength(count + 1);
    expect(new Set(entries.map(({ record }) => record)).size).toBe(count + 1);
  }
  expect(
    await foldersApi(db)
      .store(Removal)
      .get(id as never),
  ).toMatchObject({ status: 'done', removed: count + 1 });
  expect(await db.collection('removals_steps').countDocuments()).toBe(0);
}

/** The texts in any document of the database that are ids of folders, with the collections that have them. */
async function findIds(): Promise<string[]> {
  const found = new Set<string>();
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray())
    for await (const document of db.collection(name).find())
      for (const [text] of JSON.stringify(document).matchAll(/"f\d+"/g)) found.add(`${name} ${text}`);
  return [...found];
}

describe('a purge in the background', () => {
  it(
    'goes on by another worker when one is killed, and ends, and leaves nothing but the removal',
    async () => {
      const api = foldersApi(db);
      const shortcuts = Array.from({ length: 900 }, (_, at) => ({ id: `s${at}`, to: `f${at}` }));
      await api.store(Shortcut).createMany(shortcuts as never);
      await api.store(Folder).remove(`f${count}`);
      const { id } = await api.store(Folder).purge('f0', { cascade: true });
      const progress = async () => db.collection<Any>('removals').findOne({ _id: new ObjectId(String(id)) });
      for (const least of [1, 600]) {
        const worker = await start();
        await until(async () => (await progress())?.removed > least);
        await kill(worker);
        expect(await progress()).toMatchObject({ status: 'running', state: 'pending' });
      }
      await start();
      await until(isDone);
      expect(await progress()).toMatchObject({ status: 'done', record: 'f0', removed: count + 1, changed: 900 });
      expect(await findIds()).toEqual(['removals "f0"']);
      expect(await db.collection('shortcuts').countDocuments({ to: null, revision: 1 })).toBe(900);
      expect(await db.collection('shortcuts_history').countDocuments()).toBe(1_800);
      expect(await db.collection('removals_steps').countDocuments()).toBe(0);
    },
    limit,
  );
});

describe('a delete in the background', () => {
  it(
    'deletes each record once, whichever of its workers are killed',
    async () => {
      const { id } = await foldersApi(db).store(Folder).remove('f0', { inBackground: true });
      const workers = [await start(), await start()];
      for (let round = 0; round < 6 * rounds && !(await isDone()); round++) {
        await delay(Math.random() * 800);
        await kill(workers[round % 2] as ChildProcess);
        workers[round % 2] = await start();
      }
      await until(isDone);
      await expectDeleted(id);
    },
    limit,
  );

  it(
    'deletes each record once when the primary steps down',
    async () => {
      const { id } = await foldersApi(db).store(Folder).remove('f0', { inBackground: true });
      await start();
      for (let round = 0; round < 2 * rounds; round++) {
        await delay(500);
        const stepDown = { replSetStepDown: 3, secondaryCatchUpPeriodSecs: 2 };
        await deployment.admin
          .db('admin')
          .command(stepDown)
          .catch(() => undefined);
      }
      await until(isDone);
      await expectDeleted(id);
    },
    limit,
  );

  it.each(['insert', 'update', 'find', 'commitTransaction'])('goes on when `%s` fails', async (command) => {
    const { id } = await foldersApi(db).store(Folder).remove('f0', { inBackground: true });
    await failCommands(deployment, { activationProbability: 0.1 }, { failCommands: [command], errorCode: 11_600, appName: 'faults' });
    await start();
    const end = performance.now() + 3_000;
    await until(async () => performance.now() > end || (await isDone()));
    await failCommands(deployment, 'off');
    await until(isDone);
    await expectDeleted(id);
  });
});
