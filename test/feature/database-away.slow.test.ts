import { once } from 'node:events';
import { MongoClient, type MongoClientOptions } from 'mongodb';
import { cursorPaging, defineModel, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database/database-proxy.ts';
import { type Answer, type TestServer, useServer } from '../support/http/serve.ts';
import { until } from '../support/until.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { id: t.string({ policy: { insert: true } }), text: t.string({ default: '' }), revision: t.revision() },
});

const database = useDatabase();
const serve = useServer();
const docs = () => database.db.collection<{ _id: string }>('docs');
const ops = ['list', 'get', 'create', 'patch', 'put', 'delete'] as const;

let proxy: DatabaseProxy;
const clients: MongoClient[] = [];

/** Serves from the test's own database, through the proxy. */
async function start(options: MongoClientOptions, uri = proxy.uri, maxTimeMS = 10_000): Promise<TestServer & { client: MongoClient }> {
  const client = new MongoClient(uri, options);
  clients.push(client);
  const shop = service();
  const resource = shop.resource({ model: Doc, ops, paging: cursorPaging({ total: true }) });
  const server = await serve(
    shop.api({ db: client.db(database.db.databaseName), prefix: '/api', maxTimeMS, resources: [resource] }).routes(),
  );
  return Object.assign(server, { client });
}

beforeEach(async () => {
  await docs().deleteMany({});
  await docs().insertOne({ _id: 'a' });
  proxy = await startDatabaseProxy(process.env.MONGODB_URI ?? '');
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await proxy.close();
});

const requests = [
  ['GET', ''],
  ['GET', '?total=true'],
  ['GET', '/a'],
  ['POST', ''],
  ['PATCH', '/a'],
  ['PUT', '/a'],
  ['DELETE', '/a'],
] as const;
const writes = requests.filter(([method]) => method !== 'GET');
const bodyOf = (method: string) => (method === 'POST' ? { body: { id: 'n' } } : method.startsWith('P') ? { body: { text: 'x' } } : {});

function expectUnavailable({ status, headers, body, text }: Answer): void {
  expect([status, body.code, headers['retry-after']]).toEqual([503, 'database_unavailable', '1']);
  expect(body).toMatchObject({ type: 'urn:problem:koa-mongo-resource:database_unavailable', title: 'Database unavailable' });
  expect(text).not.toMatch(/127\.0\.0\.1|ECONN|Mongo|docs|stack|not (?:done|written)/);
}

describe('a write that does not reach as many servers as its write concern asks for', () => {
  it.each(writes)('says that nobody knows the outcome: %s %s', async (method, path) => {
    const api = await start({ writeConcern: { w: 9, wtimeoutMS: 50 } });
    const { status, body } = await api.request(method, `/api/docs${path}`, bodyOf(method));
    expect([status, body.code]).toEqual([504, 'write_outcome_unknown']);
    expect(await docs().countDocuments({ revision: { $ne: 0 } })).toBe(method === 'DELETE' ? 0 : 1);
  });
});

describe('a database that is away', () => {
  it.each(requests)('is 503 when our time limit passes before the driver gives up: %s %s', async (method, path) => {
    const api = await start({ heartbeatFrequencyMS: 500 }, proxy.uri, 300);
    await api.client.connect();
    expect((await api.request('GET', '/api/docs/a')).status).toBe(200);
    const isAway = new Promise<void>((resolve) => {
      api.client.on('topologyDescriptionChanged', ({ newDescription: { servers } }) => {
        if ([...servers.values()].every(({ type }) => type === 'Unknown')) resolve();
      });
    });
    proxy.cut();
    await isAway;
    expectUnavailable(await api.request(method, `/api/docs${path}`, bodyOf(method)));
  });

  it.each(requests)('is 503 with Retry-After, and app.on(error) hears why: %s %s', async (method, path) => {
    proxy.cut();
    const api = await start({ serverSelectionTimeoutMS: 100 });
    expectUnavailable(await api.request(method, `/api/docs${path}`, bodyOf(method)));
    expect(api.errors.map(({ cause }) => (cause as Error).name)).toEqual([
      expect.stringMatching(/^Mongo(?:ServerSelection|TopologyClosed)Error$/),
    ]);
  });

  it('is so as well when it goes away later', async () => {
    const api = await start({ serverSelectionTimeoutMS: 100 });
    await until(async () => (await api.request('GET', '/api/docs/a')).status === 200); // a busy machine may be slower at first
    proxy.cut();
    expectUnavailable(await api.request('GET', '/api/docs/a'));
    expectUnavailable(await api.request('DELETE', '/api/docs/a'));
    expect(await docs().countDocuments()).toBe(1);
  });

  it('does not keep a bad request from its own answer', async () => {
    proxy.cut();
    const api = await start({ serverSelectionTimeoutMS: 100 });
    expect((await api.request('GET', '/api/docs?x=1')).status).toBe(400);
    expect((await api.request('PATCH', '/api/docs/a', { body: { x: 1 } })).status).toBe(422);
  });

  it('is 503 too when the pool of connections is exhausted', async () => {
    const api = await start({ maxPoolSize: 1, waitQueueTimeoutMS: 100 });
    await api.request('GET', '/api/docs/a'); // the one connection is open
    proxy.freeze();
    const isTaken = once(api.client, 'connectionCheckedOut');
    const first = api.request('GET', '/api/docs/a');
    await isTaken; // two requests may else arrive in the other order
    const second = await api.request('GET', '/api/docs/a');
    proxy.thaw();
    expectUnavailable(second);
    expect((await first).status).toBe(200);
  });

  it('is 503 when the client of the driver is closed', async () => {
    const api = await start({});
    expect((await api.request('GET', '/api/docs/a')).status).toBe(200);
    await api.client.close();
    expectUnavailable(await api.request('GET', '/api/docs/a'));
  });
});

describe('a database that has been away for more than a second', () => {
  /** Serves from a client that has lost its only server, and has known it for longer than a request waits for one. */
  async function startAway(): Promise<TestServer & { client: MongoClient }> {
    const api = await start({ heartbeatFrequencyMS: 500 });
    expect((await api.request('GET', '/api/docs/a')).status).toBe(200);
    proxy.cut();
    do expectUnavailable(await api.request('POST', '/api/docs', { body: { id: 'first' } }));
    while ((api.errors.at(-1)?.cause as Error | undefined)?.name !== 'DatabaseAway');
    return api;
  }

  it('answers 503 without waiting for a server: nobody asks the driver for one', async () => {
    const api = await startAway();
    let selections = 0;
    const answers = Promise.all(requests.map(([method, path]) => api.request(method, `/api/docs${path}`, bodyOf(method))));
    api.client.on('connectionCheckOutStarted', () => selections++);
    for (const answer of await answers) expectUnavailable(answer);
    expect(selections).toBe(0);
  });

  it('carries out nothing of what was answered 503 when it is there again, and serves as before', async () => {
    const api = await startAway();
    for (const [method, path] of writes) expectUnavailable(await api.request(method, `/api/docs${path}`, bodyOf(method)));
    proxy.mend();
    for (let status = 503; status === 503; ) ({ status } = await api.request('GET', '/api/docs/a'));
    expect(await docs().find().toArray()).toEqual([{ _id: 'a' }]);
    expect((await api.request('POST', '/api/docs', { body: { id: 'n' } })).status).toBe(201);
  });

  it('still answers a read that a secondary may serve, and takes a client that has not connected yet for one that will', async () => {
    const api = await start({ readPreference: 'secondaryPreferred' }, proxy.uri, 100);
    expect((await api.request('GET', '/api/docs/a')).status).toBe(200);
    proxy.cut();
    const late = await start({ serverSelectionTimeoutMS: 5_000 });
    const waiting = late.request('GET', '/api/docs/a');
    await once(late.client, 'serverHeartbeatFailed');
    proxy.mend();
    expect((await waiting).status).toBe(200);
  });
});

describe('a write that waits for a connection of an exhausted pool', () => {
  it.each([true, false])('is 503 when its time is over, and never carried out, with retryWrites: %s', async (retryWrites) => {
    const api = await start({ maxPoolSize: 1, retryWrites }, proxy.uri, 200);
    await api.request('GET', '/api/docs/a');
    proxy.freeze();
    const first = api.request('POST', '/api/docs', { body: { id: 'sent' } });
    await once(api.client, 'connectionCheckedOut');
    const second = api.request('POST', '/api/docs', { body: { id: 'waiting' } });
    expectUnavailable(await second);
    expect([(await first).status, (await first).body.code]).toEqual([504, 'write_outcome_unknown']);
    proxy.thaw();
    expect((await api.request('POST', '/api/docs', { body: { id: 'later' } })).status).toBe(201);
    expect(await docs().countDocuments({ _id: 'waiting' })).toBe(0);
  });
});

describe('a write concern', () => {
  it('of w: 0 is a configuration error: no answer could be true', async () => {
    await expect(start({ writeConcern: { w: 0 } })).rejects.toThrow(/`w: 0`/);
  });

  it('that one server fulfils is warned of, once for each client; majority and none are not', async () => {
    const emit = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    for (const writeConcern of [{ w: 1 }, { w: 'majority' } as const, {}]) await start({ writeConcern });
    const warnings = emit.mock.calls.map(([message]) => message);
    emit.mockRestore();
    expect(warnings).toEqual([expect.stringContaining('`w: 1`')]);
  });
});

describe.each([true, false])('a connection that breaks after a write was sent, with retryWrites: %s', (retryWrites) => {
  it.each(writes)('says that nobody knows the outcome, and never that it was not done: %s %s', async (method, path) => {
    const api = await start({ retryWrites, serverSelectionTimeoutMS: 300 });
    await api.request('GET', '/api/docs/a');
    proxy.cutBeforeNextAnswer();
    const { status, headers, body } = await api.request(method, `/api/docs${path}`, bodyOf(method));
    expect([status, body.code]).toEqual([504, 'write_outcome_unknown']);
    expect(headers['retry-after']).toBe('1');
    expect(body.detail).toMatch(/read the record to see whether/);
    expect(api.errors).toHaveLength(1);
    // It was carried out indeed.
    expect(await docs().countDocuments({ revision: { $ne: 0 } })).toBe(method === 'DELETE' ? 0 : 1);
  });
});
