import type { Db, MongoClient } from 'mongodb';
import { count, makeLedger, type Posting, post, postings, reset } from './parts/ledger.ts';
import { failCommands, limitTransactions } from './parts/mongods.ts';
import { useNetwork } from './parts/use-network.ts';

const between = useNetwork();
let db: Db;
let ledger: ReturnType<typeof makeLedger>;
/** With the ordinary time limit: that of the other one is short, so that what cannot succeed ends soon. */
let patient: ReturnType<typeof makeLedger>;
beforeAll(async () => {
  const options = { heartbeatFrequencyMS: 20, minHeartbeatFrequencyMS: 10 };
  const client: MongoClient = await between.deployment.connect(options, between.network.uri);
  // A minute by default: a commit that was refused leaves its transaction open.
  await limitTransactions(between.deployment, 1);
  db = between.deployment.admin.db('ledger');
  for (const name of ['accounts', 'entries', 'idempotency_keys']) await db.createCollection(name);
  ledger = makeLedger(client.db('ledger'), {}, 150);
  patient = makeLedger(client.db('ledger'));
});

const commands = ['find', 'insert', 'update', 'findAndModify', 'commitTransaction'];
/** What becomes of a command of this name: the first one fails, or all from one on, which no attempt survives. */
const fates = [
  { mode: { times: 1 }, errorCode: 112, errorLabels: ['TransientTransactionError'] }, // a write conflict
  { mode: { times: 1 }, errorCode: 11_601 }, // interrupted
  { mode: { times: 1 }, closeConnection: true },
  ...[0, 1, 2].map((skip) => ({ mode: { skip }, errorCode: 8_000 })), // an error that nobody knows
];

const nothing = { accounts: 0, entries: 0, keys: 0, revision: 0 };
const all = ({ accounts, entries }: Posting, keys: number) => ({
  accounts,
  entries,
  keys,
  revision: accounts === 1 && entries === 1 ? 0 : 1,
});

/** What is not honest about an answer to a posting, and about what is stored by then. */
async function findFlaw(
  posting: Posting,
  key: string | undefined,
  { status, code }: Awaited<ReturnType<typeof post>>,
): Promise<string | undefined> {
  const stored = JSON.stringify(await count(db));
  const [none, whole] = [JSON.stringify(nothing), JSON.stringify(all(posting, key === undefined ? 0 : 1))];
  if (stored !== none && stored !== whole) return `half done: ${stored}`;
  if (status < 300 && stored !== whole) return `${status}, and ${stored}`;
  if (status >= 300 && code !== 'write_outcome_unknown' && stored !== none) return `${status} ${code}, and ${stored}`;
  return undefined;
}

describe.each(Object.entries(postings))('%s in a transaction', (_name, posting) => {
  it.each([undefined, '"key"'])('leaves nothing half done, whichever of its commands fails, with the key %s', async (key) => {
    const flaws: string[] = [];
    const answers = new Set<string>();
    for (const command of commands) {
      for (const { mode, ...failure } of fates) {
        await reset(db);
        await failCommands(between.deployment, mode, { failCommands: [command], ...failure });
        const answer = await post(ledger, posting, key);
        await failCommands(between.deployment, 'off');
        const what = `${command} ${JSON.stringify({ mode, ...failure })}: `;
        answers.add(`${answer.status} ${answer.code ?? ''}`.trim());
        const flaw = await findFlaw(posting, key, answer);
        if (flaw) flaws.push(what + flaw);
        if (key === undefined) continue;
        const again = await post(patient, posting, key);
        if (again.status >= 300) flaws.push(`${what}again ${again.text}`);
        if (answer.status < 300 && again.text !== answer.text) flaws.push(`${what}another answer`);
        const flawAgain = await findFlaw(posting, key, again);
        if (flawAgain) flaws.push(`${what}again ${flawAgain}`);
      }
    }
    expect(flaws).toEqual([]);
    expect(
      [...answers].filter(
        (one) =>
          !/^(20[01]|500|409 idempotency_in_progress|503 (database_unavailable|write_conflict|write_timeout)|504 (write_outcome_unknown|database_timeout))$/.test(
            one,
          ),
      ),
    ).toEqual([]);
  });

  it('is settled by its key when the answer to its commit is lost', async () => {
    await reset(db);
    let isLost = true;
    between.network.disturb = ({ from, command }) =>
      isLost && from === 'database' && command === 'commitTransaction' ? 'reset' : undefined;
    let lost = await post(ledger, posting, 'lost');
    while (lost.code === 'write_timeout') lost = await post(ledger, posting, 'lost'); // a busy machine may not come to the commit
    isLost = false;
    expect([lost.status, lost.code]).toEqual([504, 'write_outcome_unknown']);
    const settled = await post(patient, posting, 'lost');
    expect(settled.status).toBeLessThan(300);
    expect(await count(db)).toEqual(all(posting, 1));
    expect(await post(patient, posting, 'lost')).toEqual(settled);
  });
});
