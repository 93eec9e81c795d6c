import { once } from 'node:events';
import { createServer } from 'node:http';
import Koa from 'koa';
import { MongoClient } from 'mongodb';
import { type Api, ConfigurationError, defineModel, openapiDocument, service, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database/database-proxy.ts';
import { useListener } from '../support/http/listen.ts';
import { type Answer, send } from '../support/http/serve.ts';

const Doc = defineModel('Doc', { collection: 'docs', fields: { text: t.string({ default: '' }) } });
const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const listen = useListener();

/** What must hear nothing of a probe. */
const heard: string[] = [];
const shop = service({
  authenticate: () => {
    heard.push('authenticate');
    throw new Error('nobody is let in');
  },
});
const build = (db = database.db): Api =>
  shop.api({
    db,
    prefix: '/api',
    health: true,
    maxConcurrency: 1,
    observe: () => heard.push('observe'),
    onError: () => heard.push('onError'),
    resources: [shop.resource({ model: Doc })],
  });
const serve = (api: Api, adapter: string) => {
  if (adapter === 'callback') return listen(api.callback());
  const app = new Koa().use(api.routes());
  app.on('error', () => heard.push('error'));
  return listen(app.callback());
};
const pings = () => commands.names.filter((name) => name === 'ping').length;

beforeEach(() => {
  heard.length = 0;
});

describe.each(['routes', 'callback'])('the probes of an api, by %s', (adapter) => {
  let port: number;
  beforeAll(async () => {
    port = await serve(build(), adapter);
  });

  it.each(['live', 'ready'])('answer before authentication, limits and observe: GET /health/%s', async (name) => {
    const answer = await send(port, 'GET', `/api/health/${name}`);
    expect([answer.status, answer.body]).toEqual([200, { status: name }]);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers).not.toHaveProperty('x-request-id');
    const { text: _, body, ...head } = await send(port, 'HEAD', `/api/health/${name}`);
    expect(head).toEqual({ status: 200, headers: { ...answer.headers, date: expect.any(String) } });
    expect(heard).toEqual([]);
  });

  it('ask the database for readiness only', async () => {
    await send(port, 'GET', '/api/health/live');
    expect(pings()).toBe(0);
    await send(port, 'GET', '/api/health/ready');
    expect(pings()).toBe(1);
  });

  it('are 405 for other methods', async () => {
    const { status, headers } = await send(port, 'POST', '/api/health/ready');
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('are nothing more: no path beside them, and none outside the prefix', async () => {
    for (const path of ['/api/health', '/api/health/', '/api/health/live/', '/api/health/other', '/health/live'])
      expect([path, (await send(port, 'GET', path)).status]).toEqual([path, 404]);
  });
});

it('many probes at once share one ping', async () => {
  const api = build();
  const probe = () => api.fetch(new Request('http://in-process/api/health/ready'));
  const answers = await Promise.all(Array.from({ length: 50 }, probe));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(pings()).toBe(1);
  await probe();
  expect(pings()).toBe(2);
});

describe('while the database', () => {
  let proxy: DatabaseProxy;
  let client: MongoClient;
  let port: number;
  const probe = (name: string): Promise<Answer> => send(port, 'GET', `/api/health/${name}`);

  beforeEach(async () => {
    proxy = await startDatabaseProxy(process.env.MONGODB_URI ?? '');
    client = new MongoClient(proxy.uri, { serverSelectionTimeoutMS: 2_000 }); // longer than a probe waits; closing it waits so long
    port = await serve(build(client.db(database.db.databaseName)), 'routes');
    expect((await probe('ready')).status).toBe(200);
  });
  afterEach(async () => {
    await proxy.close(); // first: the client says goodbye to a frozen database for minutes
    await client.close();
  });

  it.each(['cut', 'freeze'] as const)('is away (%s), ready is 503 and live is not', async (fault) => {
    proxy[fault]();
    const { status, headers, body } = await probe('ready');
    expect([status, headers['retry-after'], headers['cache-control']]).toEqual([503, '1', 'no-store']);
    expect(body).toEqual({
      type: 'urn:problem:koa-mongo-resource:database_unavailable',
      title: 'Database unavailable',
      status: 503,
      detail: 'The database cannot be reached at the moment.',
      code: 'database_unavailable',
    });
    expect((await probe('live')).status).toBe(200);
    expect(heard).toEqual([]);
  });

  it('is back, ready is 200 again', async () => {
    proxy.freeze();
    expect((await probe('ready')).status).toBe(503);
    proxy.thaw();
    expect((await probe('ready')).status).toBe(200);
  });
});

describe('while a slow query holds every connection of the pool', () => {
  let proxy: DatabaseProxy;
  let client: MongoClient;
  let api: Api;
  let query: Promise<unknown>;
  const ready = async () => (await api.fetch(new Request('http://in-process/api/health/ready'))).status;

  beforeEach(async () => {
    proxy = await startDatabaseProxy(process.env.MONGODB_URI ?? '');
    client = new MongoClient(proxy.uri, { maxPoolSize: 1, heartbeatFrequencyMS: 500, serverSelectionTimeoutMS: 2_000 });
    const db = client.db(database.db.databaseName);
    api = build(db);
    expect(await ready()).toBe(200);
    const sleep = { $function: { body: 'function () { sleep(6000); return 1; }', args: [], lang: 'js' } };
    const isBusy = once(client, 'connectionCheckedOut');
    query = db
      .aggregate([{ $documents: [{}] }, { $set: { slept: sleep } }])
      .toArray()
      .catch(() => undefined);
    await isBusy;
  });
  afterEach(async () => {
    await proxy.close();
    await query;
    await client.close();
  });

  it('ready is 200, because the driver hears from the database', async () => {
    expect(await ready()).toBe(200);
  });

  it('and the database stands still, ready is 503 when the driver has not heard from it for a while', async () => {
    proxy.freeze();
    let status = 200;
    for (let probes = 0; probes < 5 && status === 200; probes++) status = await ready();
    expect(status).toBe(503);
  });

  it('and the database is away, ready is 503', async () => {
    proxy.cut();
    expect(await ready()).toBe(503);
  });
});

it('ready is 503 from the moment that `close` is called, and live is not', async () => {
  const api = build();
  const server = createServer(api.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const probe = async (name: string) => (await api.fetch(new Request(`http://in-process/api/health/${name}`))).json();
  expect(await probe('ready')).toEqual({ status: 'ready' });
  const closed = api.close({ server });
  expect(await probe('ready')).toMatchObject({ status: 503, code: 'shutting_down', title: 'Shutting down' });
  expect(await probe('live')).toEqual({ status: 'live' });
  await closed;
});

it('listens to a client once, however many apis it has', () => {
  const { client } = database;
  build();
  const names = ['connectionCheckedOut', 'connectionCheckedIn', 'serverHeartbeatSucceeded', 'topologyDescriptionChanged'];
  const before = names.map((name) => client.listenerCount(name));
  for (let count = 0; count < 12; count++) build();
  expect(names.map((name) => client.listenerCount(name))).toEqual(before);
});

describe('`health`', () => {
  it('is off by default', async () => {
    const api = shop.api({ db: database.db, prefix: '/api', resources: [] });
    expect((await api.fetch(new Request('http://in-process/api/health/live'))).status).toBe(404);
  });

  it('leaves no resource the path', () => {
    const resource = shop.resource({ model: Doc, path: 'health' });
    expect(() => shop.api({ db: database.db, health: true, resources: [resource] })).toThrow(
      new ConfigurationError('A resource cannot have the path `health`: the api serves its health there, as `health` is true.'),
    );
    expect(() => shop.api({ db: database.db, resources: [resource] })).not.toThrow();
  });

  it('must be true or false', () => {
    expect(() => shop.api({ db: database.db, health: 'yes' as never, resources: [] })).toThrow('`health` must be true or false.');
  });

  it('has no part in the OpenAPI description, which is for clients', () => {
    expect(Object.keys(openapiDocument(build()).paths)).toEqual(['/api/docs', '/api/docs/query', '/api/docs/{id}', '/api/openapi.json']);
  });
});
