import type { CommandStartedEvent, Db, MongoClient } from 'mongodb';
import { type Api, defineModel, Problem, service, t } from '../../src/index.ts';
import { type Deployment, failCommands, limitTransactions, startMongods } from './parts/mongods.ts';

const Project = defineModel('Project', {
  collection: 'projects',
  fields: { id: t.string({ policy: { insert: true } }), revision: t.revision() },
});
const Job = defineModel('Job', { collection: 'jobs', fields: { project: t.ref('Project', { id: t.string(), onDelete: 'cascade' }) } });

let deployment: Deployment;
let client: MongoClient;
let db: Db;
let sent: string[] = [];
/** What the hook within each create does. */
let within: () => unknown = () => undefined;
let calls = 0;

beforeAll(async () => {
  deployment = await startMongods(1);
  await limitTransactions(deployment, 1);
  client = await deployment.connect();
  client.on('commandStarted', ({ commandName }: CommandStartedEvent) => sent.push(commandName));
  db = deployment.admin.db('long');
  for (const name of ['projects', 'jobs', 'idempotency_keys']) await db.createCollection(name);
});
afterEach(async () => {
  await failCommands(deployment, 'off');
  for (const name of ['projects', 'jobs', 'idempotency_keys']) await db.collection(name).deleteMany({});
});
afterAll(() => deployment.stop());

function serve(maxTimeMS: number): Api {
  const shop = service();
  const hook = async (_ctx: unknown, { tx }: { readonly tx: { readonly store: Api['store'] } }) => {
    calls++;
    await within();
    await tx.store(Project).count({ id: 'x' });
  };
  return shop.api({
    db: client.db('long'),
    maxTimeMS,
    maxCascade: 10_000,
    idempotency: { principal: () => 'ann' },
    onError: () => undefined,
    resources: [shop.resource({ model: Project, ops: ['get', 'create', 'delete'], within: { create: [hook] } as never })],
    models: [Job],
  });
}

async function ask(api: Api, method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}) {
  const json = { 'content-type': 'application/json', ...headers };
  const response = await api.fetch(new Request(`http://x${path}`, { method, headers: json, ...(body && { body: JSON.stringify(body) }) }));
  return {
    status: response.status,
    ...((response.status === 204 ? {} : await response.json()) as { readonly code?: string; readonly detail?: string }),
  };
}

const tooLong = {
  status: 503,
  code: 'write_timeout',
  detail: 'The transaction of the request has lasted longer than the database allows, and nothing was written.',
};

/** Waits until the database has ended all transactions by itself. */
async function untilExpired(): Promise<void> {
  const stages = [
    { $currentOp: { allUsers: true, idleSessions: true } },
    { $match: { 'transaction.parameters.txnNumber': { $exists: true } } },
  ];
  const isOpen = async () => (await deployment.admin.db('admin').aggregate(stages).toArray()).length > 0;
  while (await isOpen()) await new Promise((resolve) => setTimeout(resolve, 20)); // the database tells nobody
}

describe('a transaction that lasts longer than the database allows', () => {
  it.each([undefined, 'key'])('between two commands is 503 write_timeout after one attempt, with the key: %s', async (key) => {
    calls = 0;
    within = untilExpired;
    const api = serve(35_000);
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    expect(await ask(api, 'POST', '/projects', { id: 'a' }, headers)).toMatchObject(tooLong);
    expect([calls, await db.collection('projects').countDocuments()]).toEqual([1, 0]);
    within = () => undefined;
    expect((await ask(api, 'POST', '/projects', { id: 'a' }, headers)).status).toBe(201);
  });

  it('before its commit is 503 write_timeout after one attempt', async () => {
    const api = serve(35_000);
    let attempts = 0;
    const attempt = api.transaction(async (tx) => {
      attempts++;
      await tx.store(Project).create({ id: 'a' } as never);
      await untilExpired();
    });
    await expect(attempt).rejects.toMatchObject(tooLong);
    expect([attempts, await db.collection('projects').countDocuments()]).toEqual([1, 0]);
  });

  it.each(['insert', 'aggregate'])('while the command %s runs is 503 write_timeout', async (command) => {
    within = () => undefined;
    await failCommands(deployment, 'alwaysOn', { failCommands: [command], errorCode: 290 });
    sent = [];
    expect(await ask(serve(35_000), 'POST', '/projects', { id: 'a' })).toMatchObject(tooLong);
    expect(sent.filter((name) => name === command)).toEqual([command]);
  });

  it('is tried again if it was ended sooner: by an administrator, or by another primary', async () => {
    let attempts = 0;
    await serve(35_000).transaction(async (tx) => {
      await tx.store(Project).create({ id: 'a' } as never);
      if (attempts++ === 0) await deployment.admin.db('admin').command({ killAllSessions: [] });
    });
    expect([attempts, await db.collection('projects').countDocuments()]).toEqual([2, 1]);
  });
});

describe('a delete that needs more time than the request has', () => {
  it('is 503 write_timeout, and nothing is deleted', async () => {
    const children = 10_000;
    await db.collection<{ _id: string }>('projects').insertOne({ _id: 'a' });
    await db.collection('jobs').insertMany(Array.from({ length: children }, () => ({ project: 'a' })));
    const answer = await ask(serve(60), 'DELETE', '/projects/a');
    expect(answer).toMatchObject({
      ...tooLong,
      detail: 'The request has used up its time in the database (`maxTimeMS`), and nothing was written.',
    });
    expect([await db.collection('projects').countDocuments(), await db.collection('jobs').countDocuments()]).toEqual([1, children]);
    expect(new Problem({ code: 'write_timeout' }).headers).toEqual({ 'retry-after': '1' });
  });
});
