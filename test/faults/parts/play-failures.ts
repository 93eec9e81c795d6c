import { judge, summarize } from '../judge.ts';
import { type FailingCommand, failingCommands, newRecord, recordOf } from './failing-commands.ts';
import { type Failure, failures, type Outcome } from './failures.ts';
import { type Deployment, failCommands, startMongods } from './mongods.ts';
import { report } from './report.ts';
import { type Answer, flawOf, Stage } from './stage.ts';
import type { Ask } from './things.ts';

/** How often a command fails. */
export type Times = 'once' | 'always';

/**
 * Plays every failure of every command of every operation against the service, and compares its answers with the table
 * and the oplog.
 */
export function playFailures(members: 'standalone' | 1): void {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await startMongods(members);
  });
  afterAll(() => deployment.stop());

  describe.each([true, false])('with retryWrites: %s', (retryWrites) => {
    let stage: Stage;
    let cursor = '';
    beforeAll(async () => {
      // Found at once again, where an error says that the server goes.
      stage = await Stage.open(deployment, { client: { retryWrites, heartbeatFrequencyMS: 20, minHeartbeatFrequencyMS: 10 } });
      const { body } = await stage.ask({ method: 'GET', path: '/authors?sort=rank&limit=2' });
      cursor = body.page.next_cursor;
    });
    afterAll(() => stage.close());

    const commands = failingCommands(() => cursor);
    const retries = retryWrites && members !== 'standalone';
    it.each(commands.map((one) => [`${one.operation}, whose ${one.command} of ${one.collection} fails`, one] as const))(
      'answers %s: what the failure means',
      async (_name, failing) => {
        const cases = casesOf(failing);
        await stage.seed(...cases.map(({ record }) => record));
        const wrong: string[] = [];
        for (const { ask, failure, times } of cases) {
          const namespace = `${stage.db.databaseName}.${failing.collection}`;
          const mode = times === 'once' ? { times: 1 } : 'alwaysOn';
          await failCommands(deployment, mode, { failCommands: [failing.command], namespace, ...failure.data });
          const found = wrongWith(await stage.ask(ask), failing, expectedOf(failing, failure, times, retries));
          if (found) wrong.push(`${failure.name}, ${times}: ${found}`);
        }
        await failCommands(deployment, 'off');
        expect(wrong).toEqual([]);
      },
    );

    it('says of every write what the database did', async () => {
      const history = await stage.end();
      report(history);
      expect(judge(history)).toEqual([]);
      const { acknowledged, refused, unknown } = summarize(history);
      expect([acknowledged > 0, refused > 0, unknown > 0]).toEqual([true, true, true]);
    });
  });
}

interface Case {
  readonly ask: Ask & { readonly token?: string };
  readonly record: string;
  readonly failure: Failure;
  readonly times: Times;
}

function casesOf(failing: FailingCommand): Case[] {
  return failures
    .filter(({ read }) => failing.isWrite || read)
    .flatMap((failure) =>
      (['once', 'always'] as const).map((times) => {
        const record = newRecord();
        const ask = failing.ask(record);
        return { ask, record: recordOf(ask, record), failure, times };
      }),
    );
}

/** What may be answered. */
export function expectedOf(
  failing: Pick<FailingCommand, 'isWrite'>,
  { read, write, isRetried = false }: Failure,
  times: Times,
  retries: boolean,
): readonly Outcome[] {
  if (times === 'once' && isRetried && (retries || !failing.isWrite)) return ['done'];
  // Of two tries only the answer to the second is known.
  if (failing.isWrite) return isRetried && retries ? [...write, '504'] : write;
  const outcomes = read ?? [];
  // A second try of the service's own is welcome where the error passes.
  return times === 'once' && outcomes.includes('503') ? [...outcomes, 'done'] : outcomes;
}

function wrongWith(answer: Answer, { good }: FailingCommand, expected: readonly Outcome[]): string | undefined {
  const flaw = flawOf(answer);
  if (flaw) return flaw;
  const outcome = answer.status === good ? 'done' : String(answer.status);
  return expected.some((one) => one === outcome) ? undefined : `${outcome} instead of ${expected.join(' or ')}`;
}
