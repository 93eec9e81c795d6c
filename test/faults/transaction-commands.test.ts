import type { CommandStartedEvent, Document } from 'mongodb';
import { judge, meaningOf, type Told } from './judge.ts';
import { newRecord } from './parts/failing-commands.ts';
import { type Deployment, failCommands, limitTransactions, type Mongod, startMongods, untilGone } from './parts/mongods.ts';
import { type Answer, flawOf, Stage, type StageOptions } from './parts/stage.ts';
import { type Ask, newToken, things } from './parts/things.ts';

/**
 * The commands of a transaction that loads a record, creates another one and saves the first; and of one that then
 * throws a 409.
 */
const commands = ['find', 'insert', 'findAndModify', 'commitTransaction', 'abortTransaction'] as const;
type Command = (typeof commands)[number];

const transient = { errorLabels: ['TransientTransactionError'] };
const unknownCommit = { errorLabels: ['UnknownTransactionCommitResult'] };
const concernError = (code: number) => ({ writeConcernError: { code, errmsg: 'of the test' } });

/** How each command may fail. */
const failures: readonly (readonly [name: string, data: Document, only?: Command])[] = [
  ['112 WriteConflict', { errorCode: 112 }],
  ['112 WriteConflict, which may pass', { errorCode: 112, ...transient }],
  ['251 NoSuchTransaction', { errorCode: 251, ...transient }],
  ['91 ShutdownInProgress', { errorCode: 91 }],
  ['10107 NotWritablePrimary', { errorCode: 10_107 }],
  ['11600 InterruptedAtShutdown', { errorCode: 11_600, ...transient }],
  ['50 MaxTimeMSExpired', { errorCode: 50 }],
  ['8 UnknownError', { errorCode: 8 }],
  ['a closed connection', { closeConnection: true }],
  ['a duplicate key', { errorCode: 11_000, errorExtraInfo: { keyPattern: { _id: 1 }, keyValue: { _id: 'x' } } }, 'insert'],
  ['50 MaxTimeMSExpired of an unknown outcome', { errorCode: 50, ...unknownCommit }, 'commitTransaction'],
  ['write concern error 64', concernError(64), 'commitTransaction'],
  ['write concern error 91', concernError(91), 'commitTransaction'],
  ['write concern error 100', concernError(100), 'commitTransaction'],
];

let deployment: Deployment;
let mongod: Mongod;
beforeAll(async () => {
  deployment = await startMongods(1);
  mongod = deployment.members[0] as Mongod;
  await limitTransactions(deployment, 2);
});

afterEach(async () => {
  mongod.thaw();
  await failCommands(deployment, 'off');
});
afterAll(() => deployment.stop());

/** One transaction: its mark, the record that it saves, and the one that it creates, whose id is the mark. */
interface Attempt {
  readonly token: string;
  readonly record: string;
  readonly ask: Ask & { readonly token: string };
}

/** The service, and what became of each transaction. */
class Transactions {
  readonly stage: Stage;
  readonly #attempts: Attempt[] = [];
  /** How many commits were sent. */
  commits = 0;
  /** Called for each command that is sent. */
  whenSent: (command: string) => void = () => undefined;

  constructor(stage: Stage) {
    this.stage = stage;
    stage.client.on('commandStarted', ({ commandName }: CommandStartedEvent) => {
      if (commandName === 'commitTransaction') this.commits++;
      this.whenSent(commandName);
    });
  }

  static async open({ client, api }: StageOptions = {}): Promise<Transactions> {
    const found = { heartbeatFrequencyMS: 20, minHeartbeatFrequencyMS: 10, ...client };
    return new Transactions(await Stage.open(deployment, { client: found, api: { maxTimeMS: 150, ...api } }));
  }

  /** Plans a transaction. One that `refuses` throws a 409 when it has written. */
  async plan({ refuses = false } = {}): Promise<Attempt> {
    const [token, record] = [newToken(), newRecord()];
    await this.stage.seed(record);
    const body = { token, ...(refuses && { refuses }) };
    const attempt = { token, record, ask: { method: 'POST', path: `/things/${record}/both`, body, token } };
    this.#attempts.push(attempt);
    return attempt;
  }

  /** Whether another client can write the record of a transaction at once. */
  async isFree({ record }: Attempt): Promise<boolean> {
    const update = this.stage.db
      .collection<{ _id: string }>(things)
      .updateOne({ _id: record }, { $set: { free: true } }, { maxTimeMS: 1_000 });
    return update.then(
      () => true,
      () => false,
    );
  }

  /** What was said of each transaction against what is stored: both records, or none of them. */
  async end(): Promise<{ readonly lies: unknown[]; readonly halves: string[]; readonly told: readonly Told[] }> {
    await this.stage.close();
    await untilGone(deployment);
    const stored = await this.stage.db.collection<Document & { _id: string }>(things).find().toArray();
    const byId = new Map(stored.map((one) => [one._id, one]));
    const halves: string[] = [];
    const applied: string[] = [];
    for (const { token, record } of this.#attempts) {
      const { revision, token: saved } = byId.get(record) as Document;
      if (byId.has(token) !== (saved === token)) halves.push(token);
      if (saved === token) applied.push(...Array<string>(revision as number).fill(token));
    }
    const { told } = this.stage;
    return { lies: judge({ told, sent: this.stage.sent, applied }), halves, told };
  }
}

// Commits and aborts are tried again in any case.
describe.each([
  [true, commands],
  [false, commands.slice(0, 3)],
] as const)('a transaction, with retryWrites: %s', (retryWrites, failing) => {
  let transactions: Transactions;
  /**
   * An abort changes nothing of the answer, however it fails: it is not asked for again until the time of the request
   * is over.
   */
  let refused: Transactions;
  beforeAll(async () => {
    transactions = await Transactions.open({ client: { retryWrites } });
    refused = await Transactions.open({ client: { retryWrites }, api: { maxTimeMS: 10_000 } });
  });

  it.each(failing)('is stored as a whole or not at all if %s fails, its answer says which, and its locks are free', async (command) => {
    const wrong: string[] = [];
    const refuses = command === 'abortTransaction';
    const those = refuses ? refused : transactions;
    for (const [name, data, only] of failures.filter(([, , one]) => one === undefined || one === command)) {
      for (const mode of modesOf(command, data)) {
        const attempt = await those.plan({ refuses });
        const before = those.commits;
        await those.stage.untilFound();
        await failCommands(deployment, mode, { failCommands: [command], ...data });
        const answer = await those.stage.ask(attempt.ask);
        await failCommands(deployment, 'off');
        const isBegun = those.commits > before;
        const found =
          wrongWith(answer, isBegun) ??
          ((await those.isFree(attempt)) || mayLock(command, data, mode, answer) ? undefined : 'its locks are held');
        if (found) wrong.push(`${name}${only ? '' : ` of ${command}`}, ${mode === 'alwaysOn' ? 'always' : 'once'}: ${found}`);
        if (refuses && answer.status !== 409) wrong.push(`${name}: ${answer.status} instead of 409`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('was done, refused and unknown: all of it as it was said', async () => {
    const [{ lies, halves, told }, ofRefused] = await Promise.all([transactions.end(), refused.end()]);
    expect({ lies, halves }).toEqual({ lies: [], halves: [] });
    expect(ofRefused).toMatchObject({ lies: [], halves: [] });
    expect(new Set(told.map(meaningOf)).size).toBe(retryWrites ? 3 : 2); // acknowledged, refused, and unknown commits
  });
});

describe('a transaction whose command takes too long', () => {
  it.each(commands.slice(0, 4))('is not stored before its commit has begun, and unknown afterwards: %s', async (command) => {
    const transactions = await Transactions.open({ api: { maxTimeMS: 1_000 } });
    const attempts = await Promise.all([1, 2, 3].map(() => transactions.plan()));
    await failCommands(deployment, 'alwaysOn', { failCommands: [command], blockConnection: true, blockTimeMS: 4_000 });
    const answers = await Promise.all(attempts.map(({ ask }) => transactions.stage.ask(ask)));
    await failCommands(deployment, 'off');
    const isCommit = command === 'commitTransaction';
    expect(answers.map(({ body }) => body.code === 'write_outcome_unknown')).toEqual(attempts.map(() => isCommit));
    expect(answers.map((answer) => wrongWith(answer, isCommit)).filter(Boolean)).toEqual([]);
    expect(await transactions.end()).toMatchObject({ lies: [], halves: [] });
  });
});

describe('a transaction whose client goes', () => {
  it.each(commands.slice(0, 4))('is stored only if its commit had begun: %s', async (command) => {
    const transactions = await Transactions.open({ api: { maxTimeMS: 5_000 } });
    const attempt = await transactions.plan();
    await failCommands(deployment, { times: 1 }, { failCommands: [command], blockConnection: true, blockTimeMS: 300 });
    const gone = new AbortController();
    transactions.whenSent = (sent) => sent === command && gone.abort();
    expect((await transactions.stage.ask(attempt.ask, gone.signal)).status).toBeUndefined();
    while (!(await transactions.isFree(attempt))); // the blocked command ends first
    const { halves, lies } = await transactions.end();
    expect({ halves, lies }).toEqual({ halves: [], lies: [] });
    const isStored = await deployment.admin
      .db(transactions.stage.db.databaseName)
      .collection<{ _id: string }>(things)
      .countDocuments({ _id: attempt.token });
    expect(isStored).toBe(command === 'commitTransaction' ? 1 : 0);
  });
});

describe('transactions of many clients', () => {
  it.each(['freeze', 'kill'] as const)('are each stored as a whole or not at all when the database ends: %s', async (fault) => {
    const transactions = await Transactions.open({ api: { maxTimeMS: 2_000 } }); // time enough for the commits before the end
    const attempts = await Promise.all(Array.from({ length: 16 }, () => transactions.plan()));
    let left = 8;
    let ended: unknown;
    transactions.whenSent = (sent) => {
      if (sent === 'commitTransaction' && --left === 0) ended = mongod[fault]();
    };
    const answers = await Promise.all(attempts.map(({ ask }) => transactions.stage.ask(ask)));
    await ended;
    if (fault === 'freeze') mongod.thaw();
    else {
      await mongod.restart();
      await mongod.untilPrimary();
      await limitTransactions(deployment, 2);
    }
    expect(left).toBeLessThanOrEqual(0);
    expect(answers.map((answer) => wrongWith(answer, true)).filter(Boolean)).toEqual([]);
    expect(await transactions.end()).toMatchObject({ lies: [], halves: [] });
  });
});

/** A commit is asked for again until its time is over: one such failure of each kind is enough. */
function modesOf(command: Command, { errorCode, writeConcernError, errorLabels }: Document): readonly ({ times: 1 } | 'alwaysOn')[] {
  const isSlow = errorCode === 10_107 || writeConcernError?.code === 91 || errorLabels === unknownCommit.errorLabels;
  return command === 'commitTransaction' && isSlow ? [{ times: 1 }] : [{ times: 1 }, 'alwaysOn'];
}

/**
 * A server that never hears of the end of a transaction keeps its locks for a minute: if the outcome is unknown, or if
 * the fail point takes the place of the commit, or of an abort which the driver does not try again.
 */
function mayLock(command: Command, { errorCode, closeConnection }: Document, mode: unknown, { status }: Answer): boolean {
  if (command !== 'abortTransaction') return status === 504 || (command === 'commitTransaction' && mode === 'alwaysOn');
  return mode === 'alwaysOn' || !(closeConnection || errorCode === 91 || errorCode === 10_107);
}

/** What is wrong with an answer; undefined if nothing is. */
function wrongWith(answer: Answer, isCommitBegun: boolean): string | undefined {
  const flaw = flawOf(answer);
  if (flaw) return flaw;
  const { status, body } = answer;
  if (![200, 204, 409, 500, 503, 504].includes(status ?? 0)) return `status ${status}`;
  return body?.code === 'write_outcome_unknown' && !isCommitBegun ? 'its outcome is unknown, and no commit was sent' : undefined;
}
