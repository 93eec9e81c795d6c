import { judge, summarize, type Told } from './judge.ts';
import { type Asked, isGood, Load } from './parts/load.ts';
import { type Deployment, startMongods, untilGone } from './parts/mongods.ts';
import { rounds } from './parts/random.ts';
import { report } from './parts/report.ts';
import { useService } from './parts/service.ts';
import { send } from './parts/stage.ts';
import { stored, things } from './parts/things.ts';
import { openOplog } from './parts/witness.ts';

const startService = useService();
let deployment: Deployment;
beforeAll(async () => {
  deployment = await startMongods(1);
});
afterAll(() => deployment.stop());

it('loses nothing that it has acknowledged when its process is killed under load, and writes nothing twice', async () => {
  const db = deployment.admin.db('killed');
  await db.createCollection(things);
  const oplog = await openOplog(deployment.admin, 'killed');
  const told: Told[] = [];
  let service = await startService(deployment, 'killed');
  const asked: Asked = {
    async seed(...ids) {
      await db.collection<{ _id: string }>(things).insertMany(ids.map(stored));
    },
    async ask(ask) {
      const answer = await send(service.port, ask);
      if (ask.token) told.push({ token: ask.token, status: answer.status, code: answer.body?.code, at: performance.now() });
      return answer;
    },
  };
  const load = await Load.start(asked, 24);
  for (let round = 0; round < 6 * rounds; round++) {
    await load.until(150, isGood);
    const next = await startService(deployment, 'killed');
    await service.kill();
    service = next;
  }
  await load.until(50, isGood);
  await load.stop();
  await service.kill();
  await untilGone(deployment);
  const history = { told, applied: await oplog.applied() };
  report(history);
  const { acknowledged, unknown, answers } = summarize(history);
  expect({ lies: judge(history), flaws: [...load.flaws] }).toEqual({ lies: [], flaws: [] });
  expect([acknowledged > 0, unknown > 0]).toEqual([true, true]);
  expect(answers).not.toHaveProperty('500');
});
