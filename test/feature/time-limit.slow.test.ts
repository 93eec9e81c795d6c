import { MongoClient } from 'mongodb';
import { cursorPaging, defineModel, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database/database-proxy.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';

const fields = { id: t.string({ policy: { insert: true } }), text: t.string({ default: '' }) };
const Slow = defineModel('Slow', { collection: 'slow', fields });
const Patient = defineModel('Patient', { collection: 'slow', fields, maxTimeMS: 20_000 });
const Doc = defineModel('Doc', { collection: 'docs', fields });

const database = useDatabase();
const serve = useServer();
const ops = ['list', 'get', 'create', 'patch', 'put', 'delete'] as const;
let proxy: DatabaseProxy;
let client: MongoClient;
let api: TestServer;

beforeAll(async () => {
  await database.db.collection<{ _id: string }>('docs').insertOne({ _id: 'a' });
  // A view of so much work that reading it is slow in the database itself, every time and without failpoints.
  const [thousand, more] = [{ $range: [0, 1000] }, { $range: [0, 2000] }];
  const pipeline = [
    { $set: { n: thousand, m: more } },
    { $unwind: '$n' },
    { $unwind: '$m' },
    { $group: { _id: '$_id', sum: { $sum: { $sin: '$m' } } } },
  ];
  await database.db.createCollection('slow', { viewOn: 'docs', pipeline });
  proxy = await startDatabaseProxy(process.env.MONGODB_URI ?? '');
  client = await MongoClient.connect(proxy.uri);
  const shop = service();
  const resources = [
    shop.resource({ model: Slow, ops, paging: cursorPaging({ total: true }) }),
    shop.resource({ model: Patient, path: 'patient', ops }),
    shop.resource({ model: Doc, ops }),
  ];
  api = await serve(shop.api({ db: client.db(database.db.databaseName), prefix: '/api', maxTimeMS: 100, resources }).routes());
});

afterAll(async () => {
  await client.close();
  await proxy.close();
});

describe('a read that passes its time limit', () => {
  it.each(['/api/slow', '/api/slow?total=true', '/api/slow/a'])('is 504, and app.on(error) hears why: %s', async (path) => {
    api.errors.length = 0;
    const { status, headers, body, text } = await api.request('GET', path);
    expect([status, body.code]).toEqual([504, 'database_timeout']);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(text).not.toMatch(/Mongo|slow|maxTimeMS|stack/);
    expect(api.errors.map(({ cause }) => (cause as { code?: number }).code)).toEqual([50]);
  });

  it("is judged by the model's own limit, where it has one", async () => {
    expect((await api.request('GET', '/api/patient/a')).status).toBe(200);
  });
});

describe('a database that does not answer at all', () => {
  it('is 504 for a read, soon after its limit, whatever the database does', async () => {
    proxy.freeze();
    const { status, body } = await api.request('GET', '/api/docs/a');
    proxy.thaw();
    expect([status, body.code]).toEqual([504, 'database_timeout']);
  });

  it.each([
    ['POST', '/api/docs', { id: 'new' }],
    ['PATCH', '/api/docs/a', { text: 'x' }],
    ['PUT', '/api/docs/a', { text: 'x' }],
    ['DELETE', '/api/docs/a', undefined],
  ])('leaves the outcome of a write unknown: 504 that says so, and not that it was not done: %s', async (method, path, body) => {
    expect((await api.request('GET', '/api/docs/a')).status).toBe(200); // there is a connection to send it by
    api.errors.length = 0;
    proxy.freeze();
    const answer = await api.request(method, path, body && { body });
    proxy.thaw();
    expect([answer.status, answer.body.code]).toEqual([504, 'write_outcome_unknown']);
    expect(answer.body.detail).toMatch(/read the record to see whether/);
    expect(answer.headers['retry-after']).toBe('1');
    expect(api.errors).toHaveLength(1);
  });

  it('is forgotten when it answers again', async () => {
    expect((await api.request('GET', '/api/docs?sort=x')).status).toBe(400);
    expect((await api.request('GET', '/api/docs')).status).toBe(200);
  });
});
