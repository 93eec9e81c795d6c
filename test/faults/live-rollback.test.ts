import { MongoClient } from 'mongodb';
import { useServer } from '../support/http/serve.ts';
import { boardApi, Task } from '../support/live/board.ts';
import { BoardClient, settle } from '../support/live/board-client.ts';
import { until } from '../support/until.ts';
import { type Deployment, type Mongod, startMongods } from './parts/mongods.ts';

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startMongods(3);
});
afterAll(() => deployment.stop());

const serve = useServer();

async function primary(): Promise<Mongod> {
  const hello = await deployment.admin.db('admin').command({ hello: 1 }, { readPreference: 'primary' });
  return deployment.members.find(({ host }) => host === hello.primary) as Mongod;
}

/** Whether a member takes what the primary has written. */
async function replicate({ host }: Mongod, isOn: boolean): Promise<void> {
  const client = await MongoClient.connect(`mongodb://${host}/?directConnection=true`);
  await client.db('admin').command({ configureFailPoint: 'stopReplProducer', mode: isOn ? 'off' : 'alwaysOn' });
  await client.close();
}

it('a live list shows no write for good that is rolled back, because its primary was lost before the majority had it', async () => {
  const client = await deployment.connect({ heartbeatFrequencyMS: 500, minHeartbeatFrequencyMS: 50 });
  const api = boardApi(client.db('rollback'), { maxTimeMS: 2_000, warnOnScan: false, onError: () => undefined });
  const { port } = await serve(api.routes());
  const task = (id: string, note: string) => ({ id, tenant: 'a', owner: 'ann', title: id, note });
  await api.store(Task).createMany([task('t1', 'kept'), task('t2', 'kept')] as never);
  const early = new BoardClient({ user: 'ann', path: '/tasks' });
  await early.connect(port);
  const old = await primary();
  const others = deployment.members.filter((one) => one !== old);
  for (const one of others) await replicate(one, false);
  const lost = client.db('rollback').collection<{ _id: string; note: string }>('tasks');
  await lost.updateOne({ _id: 't1' }, { $set: { note: 'lost' } }, { writeConcern: { w: 1 } });
  // Whoever comes now shares what the others see, and makes it be read again.
  const late = new BoardClient({ user: 'ann', path: '/tasks' });
  await late.connect(port);
  expect(late.shown).toBeDefined();
  await old.kill();
  for (const one of others) await replicate(one, true);
  await until(async () => (await lost.findOne({ _id: 't1' }, { readPreference: 'primary' }).catch(() => undefined))?.note === 'kept');
  await old.restart();
  const clients = [early, late];
  expect(await settle(clients, port, { patienceMS: 20_000 })).toEqual([]);
  for (const one of clients) one.vanish();
  expect(clients.flatMap(({ faults }) => faults)).toEqual([]);
});
