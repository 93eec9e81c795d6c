import type { CommandStartedEvent, Db, Document } from 'mongodb';
import { type Api, defineModel, service, t } from '../../src/index.ts';
import { Job, Memo, Step } from '../support/models/workspace.ts';
import { type Deployment, failCommands, limitTransactions, startMongods } from './parts/mongods.ts';

const names = ['projects', 'jobs', 'steps', 'memos', 'teams'] as const;
const Project = defineModel('Project', {
  collection: 'projects',
  fields: {
    id: t.string(),
    name: t.string(),
    owner: t.string(),
    jobs: t.hasMany('Job', { via: 'projectId' }),
    updatedAt: t.updatedAt(),
    revision: t.revision(),
  },
});
const Team = defineModel('Team', {
  collection: 'teams',
  fields: {
    id: t.string(),
    projectIds: t.array(t.ref('Project', { id: t.string(), onDelete: 'pull', as: 'projects' }), { default: [] }),
    revision: t.revision(),
  },
});
/** How commands fail, from one on until the fault is over. */
const failures: readonly (readonly [name: string, data: Document])[] = [
  ['112 WriteConflict, which may pass', { errorCode: 112, errorLabels: ['TransientTransactionError'] }],
  ['91 ShutdownInProgress', { errorCode: 91 }],
  ['50 MaxTimeMSExpired', { errorCode: 50 }],
  ['8 UnknownError', { errorCode: 8 }],
  ['a closed connection', { closeConnection: true }],
];
const requests = {
  'a delete with a cascade, a nullify and a pull': ['DELETE', '/projects/a', undefined, 204],
  'a create below a record': ['POST', '/projects/a/jobs', { id: 'n' }, 201],
  'a link to another record': ['PUT', '/teams/t/projects/b', undefined, 204],
  'a patch that refers to another record': ['PATCH', '/jobs/j1', { projectId: 'b' }, 200],
} as const;
type Name = keyof typeof requests;

let deployment: Deployment;
let db: Db;
/** Has little time, which it spends when a command fails for good. */
let hurried: Api;
/** The same, with time enough for a slow machine. */
let patient: Api;
let sent: string[] = [];

beforeAll(async () => {
  deployment = await startMongods(1);
  await limitTransactions(deployment, 2);
  const client = await deployment.connect({ heartbeatFrequencyMS: 20, minHeartbeatFrequencyMS: 10 });
  client.on('commandStarted', ({ commandName }: CommandStartedEvent) => sent.push(commandName));
  db = deployment.admin.db('references');
  const shop = service();
  const resources = [
    shop.resource({ model: Project, nested: ['jobs'] }),
    shop.resource({ model: Job }),
    shop.resource({ model: Memo }),
    shop.resource({ model: Team, links: ['projects'] }),
  ];
  const serve = (maxTimeMS: number) =>
    shop.api({ db: client.db('references'), resources, models: [Step], maxTimeMS, onError: () => undefined });
  hurried = serve(150);
  patient = serve(10_000);
  for (const name of names) await db.createCollection(name);
});
afterEach(async () => {
  await failCommands(deployment, 'off');
  await limitTransactions(deployment, 2);
});
afterAll(() => deployment.stop());

const of = (name: string) => db.collection<{ _id: string; [key: string]: unknown }>(name);
/** All that is stored, without the times and counters that an attempt may have moved. */
async function snapshot(): Promise<string> {
  const projection = { updatedAt: 0, _references: 0 };
  return JSON.stringify(await Promise.all(names.map((name) => of(name).find({}, { projection }).sort({ _id: 1 }).toArray())));
}

async function seed(): Promise<void> {
  for (const name of names) await of(name).deleteMany({});
  await of('projects').insertMany(['a', 'b'].map((_id) => ({ _id, name: _id, owner: 'ann', revision: 0 })));
  await of('jobs').insertMany(['j1', 'j2'].map((_id) => ({ _id, projectId: 'a', text: 'x', revision: 0 })));
  await of('steps').insertMany(['s1', 's2'].map((_id, index) => ({ _id, jobId: `j${index + 1}`, revision: 0 })));
  await of('memos').insertOne({ _id: 'm', projectId: 'a', team: ['a', 'b'], revision: 0 });
  await of('teams').insertOne({ _id: 't', projectIds: ['a'], revision: 0 });
}
beforeEach(seed);

async function ask(name: Name, api = patient): Promise<{ readonly status: number; readonly code: string | undefined }> {
  const [method, path, body] = requests[name];
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const init = body ? { body: JSON.stringify(body), headers: { 'content-type': type } } : {};
  const answer = await api.fetch(new Request(`http://in-process${path}`, { method, ...init }));
  const { code } = answer.status >= 400 ? ((await answer.json()) as { code?: string }) : {};
  return { status: answer.status, code };
}

/** Asks until the database is known to be there again. */
async function askAgain(name: Name): Promise<number> {
  for (;;) {
    const { status } = await ask(name);
    if (status < 500) return status;
    await new Promise((resolve) => setTimeout(resolve, 20)); // no event tells when the driver has found the primary again
  }
}

describe.each(Object.keys(requests) as Name[])('%s', (name) => {
  it.each(failures)('is done whole or not at all, and says which, when its commands fail from any one on: %s', async (_failure, data) => {
    const before = await snapshot();
    sent = [];
    expect((await ask(name)).status).toBe(requests[name][3]);
    const commands = [...sent];
    const after = await snapshot();
    expect(commands.length).toBeGreaterThan(2);
    for (const [index, command] of commands.entries()) {
      await seed();
      const skip = commands.slice(0, index).filter((one) => one === command).length;
      await failCommands(deployment, { skip }, { failCommands: [command], ...data });
      const { status, code } = await ask(name, hurried);
      await failCommands(deployment, 'off');
      const stored = await snapshot();
      const isUnknown = code === 'write_outcome_unknown';
      const where = `${command} ${index}: ${status} ${code}`;
      if (status < 300) expect([where, stored]).toEqual([where, after]);
      else if (isUnknown) expect([before, after]).toContain(stored);
      else expect([where, stored]).toEqual([where, before]);
      expect([where, status < 300 || status >= 500]).toEqual([where, true]);
      if (stored === before) expect([where, await askAgain(name)]).toEqual([where, requests[name][3]]);
      expect([where, await snapshot()]).toEqual([where, after]);
    }
  });
});

it('creates that wait for a transaction that does not end share another one when they are as many', async () => {
  const jobs = patient.store(Job);
  for (const projectId of ['a', 'b']) await jobs.create({ id: `first of ${projectId}`, projectId });
  await limitTransactions(deployment, 60); // the blocked one must end by its commit
  const block = { failCommands: ['commitTransaction'], blockConnection: true, blockTimeMS: 3_000 };
  await failCommands(deployment, { times: 1 }, block);
  sent = [];
  const ended: string[] = [];
  const create = async (id: string, projectId: string) => {
    await jobs.create({ id, projectId });
    ended.push(id);
  };
  const blocked = Promise.all([create('n1', 'a'), create('n2', 'a')]);
  while (!sent.includes('commitTransaction')) await new Promise(setImmediate);
  await Promise.all([create('n3', 'b'), create('n4', 'b')]);
  expect(ended.sort()).toEqual(['n3', 'n4']);
  await blocked;
  expect(sent.filter((command) => command === 'insert')).toHaveLength(2);
});
