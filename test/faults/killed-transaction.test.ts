import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { useProgram } from '../support/processes/use-program.ts';
import { count, makeLedger, post, postings, reset } from './parts/ledger.ts';
import { appName, type Deployment, limitTransactions, startMongods } from './parts/mongods.ts';

const program = useProgram(join(import.meta.dirname, 'parts/ledger-process.ts'));
let deployment: Deployment;
beforeAll(async () => {
  deployment = await startMongods(1);
  // A minute by default: the database ends the transaction of a process that is gone.
  await limitTransactions(deployment, 1);
});
afterAll(() => deployment.stop());

const cases = Object.keys(postings).flatMap((name) => (['within', 'after'] as const).map((place) => [name, place] as const));

it.each(cases)('a %s whose process is killed in a hook %s is settled by its key', async (name, place) => {
  const posting = postings[name];
  if (!posting) throw new Error('no such posting');
  const db = (await deployment.connect()).db('killed');
  for (const collection of ['accounts', 'entries', 'idempotency_keys']) await db.createCollection(collection).catch(() => undefined);
  await reset(db);
  const killed = fork(program, [`${deployment.uri}&appName=${appName}`, 'killed', name, place], { execArgv: [] });
  const [, signal] = await once(killed, 'exit');
  expect(signal).toBe('SIGKILL');
  const whole = { accounts: posting.accounts, entries: posting.entries, keys: 1 };
  if (place === 'after') expect(await count(db)).toMatchObject(whole);
  else expect(await count(db)).toEqual({ accounts: 0, entries: 0, keys: 0, revision: 0 });
  const ledger = makeLedger(db);
  let answer = await post(ledger, posting, name);
  while (answer.code === 'idempotency_in_progress') answer = await post(ledger, posting, name);
  expect(answer.status).toBeLessThan(300);
  expect(await count(db)).toMatchObject(whole);
  expect(await post(ledger, posting, name)).toEqual(answer);
});
