import { randomFrom } from '../support/fuzzing/random-from.ts';
import { expectHonest } from './parts/expect-honest.ts';
import { type Asked, isGood, Load } from './parts/load.ts';
import { type Deployment, startMongods } from './parts/mongods.ts';
import { rounds, seed } from './parts/random.ts';
import { Stage } from './parts/stage.ts';

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startMongods(1);
});
afterAll(() => deployment.stop());

it(`tells the truth of every write while half of all clients break off, and serves the others (seed ${seed})`, async () => {
  const random = randomFrom(seed);
  const stage = await Stage.open(deployment, { api: { maxConcurrency: 16 } });
  let brokenOff = 0;
  const impatient: Asked = {
    seed: (...ids) => stage.seed(...ids),
    async ask(ask) {
      const answer = await stage.ask(ask, random() < 0.5 ? AbortSignal.timeout(Math.floor(random() * 12)) : undefined);
      if (answer.status === undefined) brokenOff++;
      return answer;
    },
  };
  const load = await Load.start(impatient, 24);
  await load.until(1_500 * rounds, () => true);
  await load.until(200, isGood);
  await load.stop();
  await expectHonest(stage, load, { isAnyAbandoned: true });
  expect(brokenOff).toBeGreaterThan(100 * rounds);
});
