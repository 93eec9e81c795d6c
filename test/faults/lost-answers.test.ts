import { judge, summarize } from './judge.ts';
import { newRecord, recordOf } from './parts/failing-commands.ts';
import { answersToRetries } from './parts/failures.ts';
import { failCommands } from './parts/mongods.ts';
import { isWrite, type Message } from './parts/network.ts';
import { report } from './parts/report.ts';
import { type Answer, flawOf, Stage } from './parts/stage.ts';
import { makeWrite, type Write, writeNames } from './parts/things.ts';
import { useNetwork } from './parts/use-network.ts';

const client = { heartbeatFrequencyMS: 20, minHeartbeatFrequencyMS: 10 };

const between = useNetwork();

/** Loses the answers to so many commands: the database has carried them out, and the connection is reset. */
function loseAnswers(count: number, concerns: (message: Message) => boolean = isWrite): void {
  let left = count;
  between.network.disturb = (message) => (message.from === 'database' && concerns(message) && left-- > 0 ? 'reset' : undefined);
}

const answerOf = ({ status, body }: Answer) => [status, body?.code].filter(Boolean).join(' ');
const unknown = '504 write_outcome_unknown';

async function writeThing(stage: Stage, write: Write): Promise<Answer> {
  const record = newRecord();
  const ask = makeWrite(write, record);
  await stage.seed(recordOf(ask, record));
  return stage.ask(ask);
}

describe('a write whose answer is lost', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open(between.deployment, { client, uri: between.network.uri });
  });
  afterAll(() => stage.close());

  it.each(writeNames)('is carried out once by the retry that follows: %s', async (write) => {
    loseAnswers(1);
    expect((await writeThing(stage, write)).status).toBeLessThan(300);
  });

  it.each(writeNames)('is unknown when the answer to the retry is lost as well: %s', async (write) => {
    loseAnswers(2);
    const answer = await writeThing(stage, write);
    expect([answerOf(answer), flawOf(answer)]).toEqual([unknown, undefined]);
  });

  const ends = [
    ...answersToRetries.map((errorCode) => ({ errorCode })),
    { closeConnection: true },
    { writeConcernError: { code: 64, errmsg: 'of the test' } },
    { writeConcernError: { code: 91, errmsg: 'of the test' } },
  ];
  it.each(writeNames)('is unknown whatever the retry fails with: %s', async (write) => {
    const wrong: string[] = [];
    for (const end of ends) {
      loseAnswers(1);
      const namespace = `${stage.db.databaseName}.things`;
      await failCommands(between.deployment, { skip: 1 }, { failCommands: ['insert', 'findAndModify'], namespace, ...end });
      const answer = await writeThing(stage, write);
      await failCommands(between.deployment, 'off');
      const flaw = flawOf(answer);
      if (flaw || answerOf(answer) !== unknown) wrong.push(`${JSON.stringify(end)}: ${flaw ?? answerOf(answer)}`);
    }
    expect(wrong).toEqual([]);
  });

  it('is never refused, nor carried out twice', async () => {
    const history = await stage.end();
    report(history);
    expect(judge(history)).toEqual([]);
    expect(summarize(history).unknownAndApplied).toBeGreaterThan(0);
  });
});

describe('a write whose answer is lost, and whose retry finds no connection because the server refuses new ones', () => {
  it.each(writeNames.flatMap((write) => [91, 11_600, 18].map((errorCode) => [write, errorCode] as const)))(
    'is unknown: %s, error %i',
    async (write, errorCode) => {
      // The first hello after the reset is that of the monitoring, by which the server is found again; the second is of
      // the new connection.
      const monitoring = { heartbeatFrequencyMS: 60_000, minHeartbeatFrequencyMS: 10, serverMonitoringMode: 'poll' } as const;
      const stage = await Stage.open(between.deployment, { client: monitoring, uri: between.network.uri });
      await stage.ask({ method: 'GET', path: '/authors' });
      await failCommands(
        between.deployment,
        { skip: 1 },
        { failCommands: ['hello', 'isMaster', 'ismaster'], failInternalCommands: true, errorCode },
      );
      loseAnswers(1);
      const answer = await writeThing(stage, write);
      await failCommands(between.deployment, 'off');
      expect([answerOf(answer), flawOf(answer)]).toEqual([unknown, undefined]);
      const history = await stage.end();
      report(history);
      expect(judge(history)).toEqual([]);
    },
  );
});

describe('a write whose answer is lost and that the driver does not retry', () => {
  it.each(writeNames)('is unknown: %s', async (write) => {
    const stage = await Stage.open(between.deployment, { client: { ...client, retryWrites: false }, uri: between.network.uri });
    loseAnswers(1);
    const answer = await writeThing(stage, write);
    expect([answerOf(answer), flawOf(answer)]).toEqual([unknown, undefined]);
    const history = await stage.end();
    report(history);
    expect([judge(history), summarize(history).unknownAndApplied]).toEqual([[], 1]);
  });
});

describe('a read whose answer is lost', () => {
  const paths = ['/authors', '/authors?total=true', '/things/r:1', '/things/r:1?include=author'];
  const isRead = ({ command }: Message) => command === 'find' || command === 'aggregate';

  it.each(paths)('is done by another try: %s', async (path) => {
    const stage = await Stage.open(between.deployment, { client, uri: between.network.uri });
    await stage.seed('r:1');
    loseAnswers(1, isRead);
    expect((await stage.ask({ method: 'GET', path })).status).toBe(200);
    await stage.close();
  });

  it.each(paths)('is 503 when no answer arrives: %s', async (path) => {
    const stage = await Stage.open(between.deployment, { client, uri: between.network.uri });
    await stage.seed('r:1');
    loseAnswers(Number.POSITIVE_INFINITY, isRead);
    const answer = await stage.ask({ method: 'GET', path });
    expect([answerOf(answer), flawOf(answer)]).toEqual(['503 database_unavailable', undefined]);
    await stage.close();
  });
});
