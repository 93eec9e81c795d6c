import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Api } from '../../src/index.ts';
import { changeStreams, killChangeStreams } from '../support/database/change-streams.ts';
import { LiveStream } from '../support/http/live-stream.ts';
import { send, useServer } from '../support/http/serve.ts';
import { boardApi, Tag, Task } from '../support/live/board.ts';
import { BoardClient, settle } from '../support/live/board-client.ts';
import { until } from '../support/until.ts';
import { type Deployment, failCommands, type Mongod, startMongods } from './parts/mongods.ts';

let deployment: Deployment;
let mongod: Mongod;
beforeAll(async () => {
  deployment = await startMongods(1);
  mongod = deployment.members[0] as Mongod;
});
afterEach(async () => {
  mongod.thaw();
  await failCommands(deployment, 'off');
});
afterAll(() => deployment.stop());

const serve = useServer();
const task = (id: string, rest: object = {}) => ({ id, tenant: 'a', owner: 'ann', title: id, rank: 1, note: 'first', ...rest });
const paths = [
  '/tasks?sort=title',
  '/tasks?fields=title&filter=any(tags,%20name%20%3D%20%22x%22)',
  '/tags?include=tasks',
  '/tasks/t1',
  '/hooked',
];

let name: string;
let api: Api;
let port: number;
let clients: BoardClient[];

/** What each client was shown, in this order. */
let shown: Map<BoardClient, string[]>;
/** Whether a test brings back what was there before. Otherwise no client may return to a state that it saw change. */
let isBroughtBack: boolean;

beforeEach(async () => {
  name = `live_${randomUUID().slice(0, 8)}`;
  const client = await deployment.connect({ heartbeatFrequencyMS: 500, minHeartbeatFrequencyMS: 50, serverSelectionTimeoutMS: 2_000 });
  api = boardApi(client.db(name), { maxTimeMS: 1_000, warnOnScan: false, onError: () => undefined });
  ({ port } = await serve(api.routes()));
  await api.store(Tag).createMany(['g1', 'g2'].map((id) => ({ id, name: 'x' })));
  await api.store(Task).createMany([task('t1', { tagIds: ['g1'] }), task('t2')] as never);
  clients = paths.flatMap((path) => ['ann', 'ada'].map((user) => new BoardClient({ user, path })));
  await Promise.all(clients.map((one) => one.connect(port)));
  shown = new Map(clients.map((one) => [one, [one.shown ?? 'gone']]));
  isBroughtBack = false;
  for (const one of clients) one.stream.whenRead = () => shown.get(one)?.push(one.shown ?? 'gone');
});
afterEach(() => {
  for (const one of clients) one.vanish();
  expect(clients.flatMap(({ faults }) => faults)).toEqual([]);
  if (isBroughtBack) return;
  for (const [{ watched }, states] of shown) {
    const changes = states.filter((state, at) => state !== states[at - 1]);
    expect([watched, changes]).toEqual([watched, [...new Set(changes)]]);
  }
});

/** Writes by the test's own client, which no fault is meant for. */
async function write(id: string, note: string): Promise<void> {
  await deployment.admin
    .db(name)
    .collection<{ _id: string }>('tasks')
    .updateOne({ _id: id }, { $set: { note, title: `${id}-${note}`, tagIds: ['g2'] }, $inc: { revision: 1 } });
}

const connected = () => expect(clients.every(({ isConnected }) => isConnected)).toBe(true);
const settled = async (patienceMS?: number) => {
  expect(await settle(clients, port, patienceMS === undefined ? {} : { patienceMS })).toEqual([]);
  connected();
};

describe('the clients of live lists, after', () => {
  const failures = [
    ['ChangeStreamHistoryLost', { errorCode: 286 }],
    ['CappedPositionLost', { errorCode: 136 }],
    ['CursorNotFound', { errorCode: 43 }],
    ['BSONObjectTooLarge, for an event above 16 MiB,', { errorCode: 10334 }],
    ['ChangeStreamFatalError', { errorCode: 280 }],
    ['a resumable error', { errorCode: 11602, errorLabels: ['ResumableChangeStreamError'] }],
    ['a broken connection', { closeConnection: true }],
  ] as const;

  it.each(failures)('%s of the change stream, show what GET answers', async (_what, failure) => {
    await failCommands(deployment, { times: 2 }, { failCommands: ['getMore'], ...failure });
    await write('t1', 'meanwhile'); // wakes the stream, whose next batch fails
    await settled();
    await write('t2', 'later');
    await settled();
    for (const [{ watched }, states] of shown) if (watched.path === paths[0]) expect(states.at(-1)).toContain('t2-later');
  });

  it('a change stream that cannot be opened again for some time', async () => {
    // Lists whose includes are read by `aggregate` are answered 504 meanwhile: their streams try again.
    await failCommands(deployment, 'alwaysOn', { failCommands: ['getMore', 'aggregate'], errorCode: 50 });
    await write('t1', 'unheard');
    await until(async () => (await changeStreams(deployment.admin.db(name))).length === 0);
    await write('t2', 'unheard');
    await failCommands(deployment, 'off');
    await settled();
    await write('t2', 'heard');
    await settled();
  });

  it('the end of its cursor, by killCursors', async () => {
    expect(await killChangeStreams(deployment.admin.db(name))).toBeGreaterThan(0);
    await write('t1', 'after');
    await settled();
  });

  it('a drop of their collection', async () => {
    await deployment.admin.db(name).collection('tasks').drop();
    await settled();
    expect(clients[0]?.shown).toContain('"data":[]');
    await api.store(Task).create(task('t9') as never);
    await settled();
  });

  it('a rename of their collection, and of another one to its name', async () => {
    isBroughtBack = true;
    const db = deployment.admin.db(name);
    await db.collection<{ _id: string }>('others').insertOne({ ...task('t7'), _id: 't7' } as never);
    await db.renameCollection('tasks', 'archive');
    await settled();
    await db.renameCollection('others', 'tasks');
    await settled();
    await db.renameCollection('archive', 'tasks', { dropTarget: true });
    await settled();
  });

  it('a drop of their database', async () => {
    await deployment.admin.db(name).dropDatabase();
    await settled();
    await api.store(Task).create(task('t9') as never);
    await settled();
    expect(clients[0]?.shown).toContain('t9');
  });

  it('a mongod that stood still, while their rights could not be asked', async () => {
    mongod.freeze();
    await expect(send(port, 'GET', '/tasks', { headers: { authorization: 'ann' } })).resolves.toMatchObject({ status: 504 });
    mongod.thaw();
    await write('t1', 'thawed');
    await settled();
  });

  it('a mongod that was killed and started again', async () => {
    await mongod.kill();
    await until(async () => (await send(port, 'GET', '/tasks', { headers: { authorization: 'ann' } })).status >= 500);
    await mongod.restart();
    await mongod.untilPrimary();
    await write('t1', 'again');
    await settled(30_000);
    await write('t2', 'again');
    await settled();
  });

  it('a primary that stepped down and was elected again', async () => {
    const admin = deployment.admin.db('admin');
    await admin.command({ replSetStepDown: 1, secondaryCatchUpPeriodSecs: 0, force: true }).catch(() => undefined);
    await write('t1', 'elected');
    await settled(30_000);
  });

  it('a database that was away when another client came for another collection, which was refused', async () => {
    mongod.freeze();
    const late = new LiveStream(port, '/remarks', { authorization: 'ann' });
    await late.opened();
    expect(late.status).toBeGreaterThanOrEqual(500);
    mongod.thaw();
    await write('t1', 'still heard');
    await settled();
    await write('t2', 'still heard');
    await settled();
  });

  it('a new change stream, which another collection needs, and which begins later than they read again', async () => {
    await failCommands(deployment, { times: 1 }, { failCommands: ['ping'], blockConnection: true, blockTimeMS: 3_000 });
    const late = new LiveStream(port, '/remarks', { authorization: 'ann' });
    await pause(1_500); // they are read again within a second
    await write('t1', 'between');
    await late.opened();
    late.close();
    await settled();
  });

  it('reads that fail for some time', async () => {
    await failCommands(deployment, { times: 40 }, { failCommands: ['find', 'aggregate'], errorCode: 50 });
    await write('t1', 'unread');
    await settled(40_000);
  });
});
