import { randomFrom } from '../support/fuzzing/random-from.ts';
import { expectHonest } from './parts/expect-honest.ts';
import { isGood, Load } from './parts/load.ts';
import type { Disturbance, Message } from './parts/network.ts';
import { rounds, seed } from './parts/random.ts';
import { Stage } from './parts/stage.ts';
import { useNetwork } from './parts/use-network.ts';

const between = useNetwork();

const random = randomFrom(seed);
const sometimes = (share: number, what: Disturbance) => (random() < share ? what : undefined);
const late = () => Math.floor(random() * 30);

const networks: readonly [what: string, disturb: (message: Message) => Disturbance | undefined][] = [
  ['is slow', late],
  ['resets connections when the service sends', ({ from }) => (from === 'service' ? sometimes(0.05, 'reset') : undefined)],
  ['resets connections when the database answers', ({ from }) => (from === 'database' ? sometimes(0.05, 'reset') : undefined)],
  ['lets only a part of a command through', ({ from }) => (from === 'service' ? sometimes(0.05, 'truncate') : undefined)],
  ['lets only a part of an answer through', ({ from }) => (from === 'database' ? sometimes(0.05, 'truncate') : undefined)],
  [
    'forgets what the service sends',
    ({ from, command }) => (from === 'service' && command !== 'hello' ? sometimes(0.02, 'half-open') : undefined),
  ],
  [
    'forgets what the database answers',
    ({ from, command }) => (from === 'database' && command !== 'hello' ? sometimes(0.02, 'half-open') : undefined),
  ],
  [
    'is slow, and does all of it',
    () => sometimes(0.02, 'reset') ?? sometimes(0.02, 'truncate') ?? sometimes(0.005, 'half-open') ?? sometimes(0.5, late()),
  ],
];

describe.each([true, false])(`with retryWrites: %s and seed ${seed}, between the service and its database, a network`, (retryWrites) => {
  it.each(networks)('that %s', async (_what, disturb) => {
    const client = { retryWrites, heartbeatFrequencyMS: 500, minHeartbeatFrequencyMS: 50, maxPoolSize: 10 };
    const stage = await Stage.open(between.deployment, { client, uri: between.network.uri, api: { maxTimeMS: 300 } });
    const load = await Load.start(stage, 12);
    await load.until(30, isGood);
    between.network.disturb = disturb;
    await load.until(300 * rounds, () => true);
    between.network.disturb = () => undefined;
    between.network.resetAll(); // the half-open ones would stay until the system notices
    await load.until(30, isGood);
    await load.stop();
    await expectHonest(stage, load, { isAnyLost: disturb !== late });
    expect(stage.sent.length).toBeGreaterThan(0);
  });
});
