import type { Db, MongoClient } from 'mongodb';
import { type Api, defineModel, Problem, service, t } from '../../src/index.ts';
import { openStore } from '../../src/store/open-store.ts';
import { failures } from './parts/failures.ts';
import { type Deployment, failCommands, startMongods, untilGone } from './parts/mongods.ts';

const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    id: t.string({ policy: { filter: true } }),
    status: t.string({ default: 'open', policy: { filter: true } }),
    revision: t.revision(),
  },
});
const Node = defineModel('Node', {
  collection: 'nodes',
  fields: { id: t.string(), parentId: t.nullable(t.ref('Node', { id: t.string(), exists: true })) },
});
/** One of each kind; `failures-of-a-set.test.ts` plays all of them. */
const kinds = /^(?:13|50|91|112|251|262|10107|11600|11602) |connection|^64/i;
const someFailures = failures.filter(({ name }) => kinds.test(name));
const json = { 'content-type': 'application/json' };
const count = 5;
const everyTask = '/tasks?status=open';
const patchAll = (api: Api) => ask(api, 'PATCH', '{"status":"done"}');
const deleteAll = (api: Api) => ask(api, 'DELETE');

async function ask(api: Api, method: string, body?: string): Promise<{ status: number; code?: string; data?: object }> {
  const response = await api.fetch(new Request(`http://x${everyTask}`, { method, headers: json, ...(body && { body }) }));
  return { status: response.status, ...((await response.json()) as object) };
}

function serve(db: Db, maxTimeMS = 2_000): Api {
  const shop = service();
  const resource = shop.resource({ model: Task, ops: ['list', 'patchMany', 'deleteMany'] });
  return shop.api({ db, resources: [resource], maxTimeMS, onError: () => undefined });
}

/** Ends what the service has left open. A transaction whose commit never arrived would keep its locks for a minute. */
async function settle(deployment: Deployment, client: MongoClient): Promise<void> {
  await failCommands(deployment, 'off');
  await client.close();
  await deployment.admin.db('admin').command({ killAllSessions: [] });
  await untilGone(deployment);
}

async function seed(db: Db): Promise<void> {
  await db.collection('tasks').deleteMany({});
  await db
    .collection<{ _id: string; status: string; revision: number }>('tasks')
    .insertMany(Array.from({ length: count }, (_, index) => ({ _id: `t${index}`, status: 'open', revision: 0 })));
}

describe('on a standalone server', () => {
  let deployment: Deployment;
  let client: MongoClient;
  let warnings: string[] = [];
  beforeAll(async () => {
    deployment = await startMongods('standalone');
    client = await deployment.connect();
  });
  afterAll(() => deployment.stop());
  beforeEach(async () => {
    warnings = [];
    jest.spyOn(process, 'emitWarning').mockImplementation((message, options) => {
      warnings.push(`${(options as { code: string }).code} ${String(message)}`);
    });
    await seed(client.db('many'));
  });
  afterEach(() => void jest.restoreAllMocks());

  it('the api warns of what needs transactions: at once if the client is connected, or else when it is', async () => {
    const named = [expect.stringMatching(/^REPLICA_SET_REQUIRED .*`patchMany` of resource `tasks`, `deleteMany` of resource `tasks` need/)];
    serve(client.db('many'));
    expect(warnings).toEqual(named);
    warnings = [];
    const { MongoClient } = await import('mongodb');
    const late = new MongoClient(deployment.uri);
    serve(late.db('many'));
    expect(warnings).toEqual([]);
    await late.connect();
    expect(warnings).toEqual(named);
    await late.close();
  });

  it('writes to many records are 501, and write nothing; all else works', async () => {
    const api = serve(client.db('many'));
    expect(await patchAll(api)).toMatchObject({ status: 501, code: 'replica_set_required' });
    expect(await deleteAll(api)).toMatchObject({ status: 501, code: 'replica_set_required' });
    const store = openStore(Task, { db: client.db('many') });
    await expect(store.updateMany({}, { status: 'x' })).rejects.toMatchObject({ status: 501 });
    await expect(store.removeMany({})).rejects.toMatchObject({ status: 501 });
    await expect(store.createMany([{ id: 'a' }], { all: true })).rejects.toMatchObject({ status: 501 });
    expect(await store.count({ status: 'open' })).toBe(count);
    expect(await store.createMany([{ id: 't0' }, { id: 'b' }])).toMatchObject([{ error: { status: 409 } }, { record: { id: 'b' } }]);
  });

  it('they are 501 also for a client that has not connected yet', async () => {
    const { MongoClient } = await import('mongodb');
    const late = new MongoClient(deployment.uri);
    expect(await patchAll(serve(late.db('many')))).toMatchObject({ status: 501 });
    await late.close();
  });
});

describe('on a replica set', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await startMongods(1);
  });
  afterAll(() => deployment.stop());

  const cases = [
    ['PATCH', 'find'],
    ['PATCH', 'update'],
    ['PATCH', 'commitTransaction'],
    ['DELETE', 'delete'],
    ['DELETE', 'commitTransaction'],
  ] as const;

  it.each(cases)('%s whose %s fails in any way writes to all records or to none, and says which', async (method, command) => {
    const wrong: string[] = [];
    for (const failure of someFailures) {
      for (const mode of [{ times: 1 }, 'alwaysOn'] as const) {
        const client = await deployment.connect({ heartbeatFrequencyMS: 20, minHeartbeatFrequencyMS: 10 });
        const db = deployment.admin.db('many');
        await seed(db);
        const api = serve(client.db('many'), 150);
        await failCommands(deployment, mode, { failCommands: [command], ...failure.data });
        const { status } = method === 'PATCH' ? await patchAll(api) : await deleteAll(api);
        await settle(deployment, client);
        const left = await db.collection('tasks').find().toArray();
        const written =
          method === 'DELETE' ? count - left.length : left.filter(({ revision, status }) => revision === 1 && status === 'done').length;
        const whole = written === 0 || written === count;
        const isTrue = status === 200 ? written === count : status === 504 || written === 0;
        if (!whole || !isTrue || ![200, 409, 413, 500, 503, 504].includes(status))
          wrong.push(`${failure.name}: ${status}, ${written} written`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('createMany says of each record what became of it, however its insert fails', async () => {
    const wrong: string[] = [];
    for (const failure of someFailures) {
      const client = await deployment.connect({ heartbeatFrequencyMS: 20, minHeartbeatFrequencyMS: 10 });
      const db = deployment.admin.db('many');
      await seed(db);
      await failCommands(deployment, { times: 1 }, { failCommands: ['insert'], ...failure.data });
      const documents = Array.from({ length: 1_500 }, (_, index) => ({ id: `n${index}` }));
      const created = await openStore(Task, { db: client.db('many') }).createMany(documents);
      await settle(deployment, client);
      const stored = new Set((await db.collection('tasks').find().toArray()).map(({ _id }) => String(_id)));
      for (const [index, { record, error }] of created.entries()) {
        const isStored = stored.has(`n${index}`);
        const isUnknown = error instanceof Problem && error.code === 'write_outcome_unknown';
        if (!isUnknown && isStored !== (record !== undefined)) wrong.push(`${failure.name}: n${index} ${String(error)}`);
      }
    }
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  it.each([
    ['find', 1, 1_000, [expect.any(Error), expect.any(Error), 'b', 'a']],
    // The last record is looked up behind the insert that fails: there has to be time left for it on a busy machine.
    ['insert', 2, 5_000, [expect.objectContaining({ code: 'validation_failed' }), expect.any(Error), 'b', 'a']],
  ] as const)(
    'createMany of records that refer to one another says it too, when each %s after %i fails',
    async (command, skip, maxTimeMS, expected) => {
      const said: [string, unknown][] = [];
      for (const failure of someFailures) {
        const client = await deployment.connect({ heartbeatFrequencyMS: 20, minHeartbeatFrequencyMS: 10 });
        const nodes = deployment.admin.db('many').collection<{ _id: string }>('nodes');
        await nodes.deleteMany({});
        const namespace = 'many.nodes'; // not the server's own reads of sessions
        await failCommands(deployment, { skip }, { failCommands: [command], namespace, ...failure.data });
        const store = openStore(Node, { db: client.db('many'), models: [Node], maxTimeMS });
        const chain = ['d', 'c', 'b', 'a'].map((id, index, ids) => ({ id, parentId: ids[index + 1] }));
        const created = await store.createMany(chain);
        await settle(deployment, client);
        const stored = await nodes.find().sort({ _id: 1 }).toArray();
        said.push([failure.name, created.map(({ record, error }) => record?.id ?? error)]);
        expect([failure.name, stored.map(({ _id }) => _id)]).toEqual([failure.name, ['a', 'b']]);
      }
      expect(said).toEqual(someFailures.map(({ name }) => [name, expected]));
    },
  );

  it('a client that goes before the commit leaves nothing written', async () => {
    const client = await deployment.connect();
    const db = deployment.admin.db('many');
    await seed(db);
    const api = serve(client.db('many'));
    const leaving = new AbortController();
    client.on('commandStarted', ({ commandName }) => commandName === 'update' && leaving.abort());
    const request = new Request(`http://x${everyTask}`, {
      method: 'PATCH',
      headers: json,
      body: '{"status":"done"}',
      signal: leaving.signal,
    });
    await expect(api.fetch(request)).rejects.toThrow();
    await settle(deployment, client);
    expect(await db.collection('tasks').countDocuments({ status: 'open' })).toBe(count);
  });
});
