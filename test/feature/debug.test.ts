import type Koa from 'koa';
import compose from 'koa-compose';
import { type Api, defineModel, findRecord, problems, record, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useServer } from '../support/http/serve.ts';
import { until } from '../support/until.ts';

const Person = defineModel('Person', {
  collection: 'people',
  fields: {
    id: t.string({ policy: { insert: true } }),
    name: t.string({ policy: { filter: ['eq', 'in'], sort: true } }),
    email: t.string({ unique: true }),
    born: t.optional(t.date()),
    about: t.optional(t.object('About', { city: t.string() })),
    revision: t.revision(),
  },
});

const database = useDatabase();
const serve = useServer();
const before = process.env.DEBUG;
const write = jest.spyOn(process.stderr, 'write');
let told: string[] = [];

beforeAll(() => database.db.collection('people').createIndex({ email: 1 }, { unique: true }) as Promise<unknown> as Promise<void>);
beforeEach(async () => {
  told = [];
  write.mockImplementation((text) => {
    if (String(text).startsWith('koa-mongo-resource')) told.push(String(text).replaceAll(/\d+\.\d ms/g, '… ms'));
    return true;
  });
  await database.db.collection<{ _id: string }>('people').deleteMany({});
});
afterAll(() => {
  write.mockRestore();
  setDebug(before);
});

function setDebug(names: string | undefined): void {
  if (names === undefined) delete process.env.DEBUG;
  else process.env.DEBUG = names;
}

function createApi(names: string | undefined, { db } = database): Api {
  setDebug(names);
  const crowd = service();
  const people = crowd.resource({
    model: Person,
    scope: () => ({ email: { nin: ['hidden@example.org'] } }),
    operations: {
      both: {
        method: 'POST',
        summary: 'Two writes in one transaction',
        async handler(ctx) {
          await ctx.transaction(async (tx) => {
            await tx.store(Person).create({ id: 'x', name: 'X', email: 'x@example.org' });
            await tx.store(Person).create({ id: 'y', name: 'Y', email: 'y@example.org' });
          });
        },
      },
    },
  });
  return crowd.api({ db, resources: [people], warnOnScan: false, maxTimeMS: 9_000 });
}

const ann = { id: 'ann', name: 'Ann', email: 'ann@example.org', about: { city: 'Bern' } };

/** What is told of a request. */
async function tell(api: Api, method: string, path: string, body?: object): Promise<string> {
  const json = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const seen = told.length;
  const response = await api.fetch(new Request(`http://in-process${path}`, { method, ...(body && json) }));
  await response.text();
  await until(() => told.length > seen);
  return told.slice(seen).join('');
}

describe('DEBUG=koa-mongo-resource', () => {
  it('tells of each request the commands, with types for values, the documents and bytes, and the outcome', async () => {
    const api = createApi('koa-mongo-resource');
    expect(await tell(api, 'POST', '/people', ann)).toBe(
      `koa-mongo-resource POST /people: 201, … ms
  insertOne people document { _id: string, name: string, email: string, about: { city: string }, revision: number }: done, … ms
`,
    );
    expect(await tell(api, 'GET', '/people/ann')).toBe(
      `koa-mongo-resource GET /people/ann: 200, … ms
  find people filter { _id: string, email: { $nin: [string] } } limit 1: 1 document, 100 bytes, … ms
`,
    );
    expect(await tell(api, 'GET', '/people?name[in]=Ann,Ben&sort=-name&limit=2')).toBe(
      `koa-mongo-resource GET /people?name[in]=…&sort=…&limit=…: 200, … ms
  find people filter { name: { $in: [2 × string] }, email: { $nin: [string] } } sort { name: -1, _id: -1 } limit 3: 1 document, 100 bytes, … ms
`,
    );
    expect(await tell(api, 'PATCH', '/people/ann', { about: { city: 'Basel' } })).toMatch(
      /^koa-mongo-resource PATCH \/people\/ann: 200, … ms\n {2}findOneAndUpdate people filter \{.*\} update .*: 1 document, 101 bytes, … ms\n$/,
    );
    expect(await tell(api, 'DELETE', '/people/ben')).toMatch(
      /^koa-mongo-resource DELETE \/people\/ben: 404, … ms\n {2}findOneAndDelete .*: no document, … ms\n/,
    );
  });

  it('never shows a value of a client or of a record', async () => {
    const api = createApi('koa-mongo-resource');
    const secret = 'XSECRETX';
    const record = { id: 'a', name: secret, email: `${secret}@example.org`, about: { city: secret } };
    const all = [
      await tell(api, 'POST', '/people', record),
      await tell(api, 'POST', '/people', { ...record, id: 'b' }), // its error names the value of the index
      await tell(api, 'PATCH', '/people/a', { name: `$${secret}`, about: { city: secret } }),
      await tell(api, 'GET', `/people?name=${secret}&sort=name`),
    ];
    expect(all.join('')).not.toContain(secret);
    expect(all[1]).toMatch(/: 409, … ms\n {2}insertOne people document \{.*\}: failed: MongoServerError 11000, … ms\n/);
  });

  it('tells of a transaction, with its commit', async () => {
    const api = createApi('koa-mongo-resource');
    await tell(api, 'POST', '/people', ann);
    const lines = (await tell(api, 'POST', '/people/ann/both', {})).split('\n');
    expect(lines.map((line) => line.trim().split(' ').slice(0, 2).join(' '))).toEqual([
      'koa-mongo-resource POST',
      'insertOne people',
      'insertOne people',
      'commitTransaction: done,',
      '',
    ]);
  });

  it('tells a shared command with the first of its requests, and keeps the lines of concurrent requests apart', async () => {
    const api = createApi('koa-mongo-resource');
    const requests = ['a', 'b', 'c'].map((id) => tell(api, 'POST', '/people', { ...ann, id, email: `${id}@example.org` }));
    await Promise.all(requests);
    expect(told.length).toBe(3);
    told.sort();
    expect(told[0]).toMatch(
      /^koa-mongo-resource POST \/people: 201, … ms\n {2}Its command was sent together with that of another request\.\n$/,
    );
    expect(told[1]).toMatch(
      /^koa-mongo-resource POST \/people: 201, … ms\n {2}insert people documents \[2 × \{ _id: string.*\}\]: n 2, … ms\n$/,
    );
    expect(told[2]).toMatch(/^koa-mongo-resource POST \/people: 201, … ms\n {2}insertOne people document \{.*\}: done, … ms\n$/);
    told = [];
    await Promise.all(['a', 'nobody', 'nowhere'].map((id) => tell(api, 'GET', `/people/${id}`)));
    for (const text of told) expect(text).toMatch(/^koa-mongo-resource GET \/people\/\w+: (?:200|404), … ms\n {2}find people filter/);
  });

  it('tells of commands that belong to no request by themselves', async () => {
    const api = createApi('koa-mongo-resource');
    await api.store(Person).count({ name: 'Ann' });
    expect(told).toEqual([
      expect.stringMatching(
        /^koa-mongo-resource aggregate people pipeline \[\{ \$match: \{ name: \{ \$eq: string \} \} \}, \{ \$count: 'count' \}\]: no document, … ms\n$/,
      ),
    ]);
  });

  it('tells of the commands of a middleware in an app of its own', async () => {
    setDebug('koa-mongo-resource');
    const setId: Koa.Middleware = (ctx, next) => {
      ctx.params = { id: 'ann' };
      return next();
    };
    const { request } = await serve(compose([problems(), setId, findRecord(Person, { db: database.db }), record()] as Koa.Middleware[]));
    expect(await request('GET', '/')).toMatchObject({ status: 404 });
    expect(told).toEqual(['koa-mongo-resource find people filter { _id: string } limit 1: no document, … ms\n']);
  });
});

describe('DEBUG=koa-mongo-resource:values', () => {
  it('shows the values too, and what the database says of a failure', async () => {
    const api = createApi('koa-mongo-resource:values');
    await tell(api, 'POST', '/people', ann);
    expect(await tell(api, 'GET', '/people?name=Ann')).toContain(
      "GET /people?name=Ann: 200, … ms\n  find people filter { name: { '$eq': 'Ann' }, email: { '$nin': [ 'hidden@example.org' ] } } sort { _id: 1 } limit 21",
    );
    expect(await tell(api, 'POST', '/people', { ...ann, id: 'b' })).toContain('dup key: { email: "ann@example.org" }');
  });
});

describe('DEBUG', () => {
  it.each([undefined, '', 'koa', 'koa-router', 'koa*,-koa-mongo-resource', 'koa-mongo-resource-x', 'xkoa-mongo-resource'])(
    'tells of nothing, and leaves the database as it is, with %o',
    async (names) => {
      const { db } = database;
      const api = createApi(names, { ...database, db });
      expect(api.indexing.db === db).toBe(true);
      await (await api.fetch(new Request('http://in-process/people'))).text();
      expect(told).toEqual([]);
    },
  );

  it.each(['*', 'koa*', 'koa:*,koa-mongo-*', 'koa-mongo-resource*'])('shows no values with %s', async (names) => {
    const line = await tell(createApi(names), 'GET', '/people?name=Ann');
    expect(line).toContain('GET /people?name=…: 200');
    expect(line).not.toContain('Ann');
  });
});
