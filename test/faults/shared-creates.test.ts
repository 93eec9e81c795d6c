import { judge, summarize, type Told } from './judge.ts';
import { Batches } from './parts/batches.ts';
import { type Failure, failures } from './parts/failures.ts';
import { type Deployment, failCommands, startMongods } from './parts/mongods.ts';
import { expectedOf, type Times } from './parts/play-failures.ts';
import { report } from './parts/report.ts';
import { things } from './parts/things.ts';
import { useNetwork } from './parts/use-network.ts';

const client = { heartbeatFrequencyMS: 20, minHeartbeatFrequencyMS: 10 };
const outcomeOf = ({ status }: Told) => (status === 201 ? 'done' : String(status));

describe.each([
  ['a standalone server', 'standalone'],
  ['a replica set', 1],
] as const)('creates that share a command, on %s', (_name, members) => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await startMongods(members);
  });
  afterAll(() => deployment.stop());

  it.each([true, false])('are all answered what its failure means, with retryWrites: %s', async (retryWrites) => {
    const batches = await Batches.open(deployment, { ...client, retryWrites });
    const retries = retryWrites && members !== 'standalone';
    const namespace = `${batches.db.databaseName}.${things}`;
    const wrong: string[] = [];
    const play = async (failure: Failure, times: Times) => {
      const mode = times === 'once' ? { times: 1 } : 'alwaysOn';
      await failCommands(deployment, mode, { failCommands: ['insert'], namespace, ...failure.data });
      const outcomes = [...new Set((await batches.create(4)).map(outcomeOf))];
      const expected: readonly string[] = expectedOf({ isWrite: true }, failure, times, retries);
      if (outcomes.length > 1 || !expected.includes(outcomes[0] as string))
        wrong.push(`${failure.name}, ${times}: ${outcomes.join(' and ')} instead of ${expected.join(' or ')}`);
    };
    for (const failure of failures) for (const times of ['once', 'always'] as const) await play(failure, times);
    await failCommands(deployment, 'off');
    expect((await batches.create(4)).map(outcomeOf)).toEqual(['done', 'done', 'done', 'done']);
    const history = await batches.end();
    report(history);
    expect([wrong, judge(history)]).toEqual([[], []]);
    const { acknowledged, refused, unknown } = summarize(history);
    expect([acknowledged > 0, refused > 0, unknown > 0]).toEqual([true, true, true]);
  });

  it('are left out if they are given up before it is sent, and unknown if after', async () => {
    const batches = await Batches.open(deployment, client);
    const given = new Error('given up');
    const block = { failCommands: ['insert'], blockConnection: true, blockTimeMS: 50 };
    for (let round = 0; round < 30; round++) {
      await failCommands(deployment, 'alwaysOn', block);
      const delay = round % 3 === 0 ? undefined : round * 2;
      await batches.create(6, (works) => {
        const giveUp = () => {
          for (const n of [1, 3, 5]) works[n]?.giveUp(given);
        };
        if (delay === undefined) giveUp();
        else setTimeout(giveUp, delay);
      });
    }
    await failCommands(deployment, 'off');
    const history = await batches.end();
    report(history);
    const told = history.told.map((one) => (one.status === 500 ? giveUpMeans(one, history.applied) : one));
    expect(judge({ ...history, told })).toEqual([]);
    expect(summarize({ ...history, told }).acknowledged).toBeGreaterThanOrEqual(90);
  });
});

/**
 * A request that is given up is answered by others than the store: here its error is not a problem, unless the outcome
 * is unknown.
 */
function giveUpMeans(one: Told, applied: readonly string[]): Told {
  expect(applied).not.toContain(one.token);
  return { ...one, status: 503 };
}

describe('creates that share a command whose answer is lost', () => {
  const between = useNetwork();

  function loseAnswers(count: number): void {
    let left = count;
    between.network.disturb = ({ from, command }) => (from === 'database' && command === 'insert' && left-- > 0 ? 'reset' : undefined);
  }

  it.each([
    ['are carried out once by the retry that follows', true, 1, 'done'],
    ['are unknown when the answer to the retry is lost as well', true, 2, '504'],
    ['are unknown without a retry', false, 1, '504'],
  ] as const)('%s', async (_name, retryWrites, lost, outcome) => {
    const batches = await Batches.open(between.deployment, { ...client, retryWrites }, between.network.uri);
    for (let round = 0; round < 5; round++) {
      loseAnswers(lost);
      expect((await batches.create(5)).map(outcomeOf)).toEqual(Array.from({ length: 5 }, () => outcome));
    }
    loseAnswers(0);
    const history = await batches.end();
    report(history);
    expect(judge(history)).toEqual([]);
    expect(history.applied).toHaveLength(25);
  });

  it('are unknown if one is given up before the retry: nothing is sent after its answer', async () => {
    const batches = await Batches.open(between.deployment, client, between.network.uri);
    await batches.create(2);
    const given = new Error('given up');
    let lost = 0;
    const outcomes = await batches.create(5, (works) => {
      between.network.disturb = ({ from, command }) => {
        if (from !== 'database' || command !== 'insert' || lost++ > 0) return undefined;
        works[2]?.giveUp(given);
        return 'reset';
      };
    });
    expect(outcomes.map(outcomeOf)).toEqual(['504', '504', '504', '504', '504']);
    const history = await batches.end();
    report(history);
    expect([judge(history), lost]).toEqual([[], 1]);
  });
});
