import { type Api, applyIndexes, defineModel, type Event, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { LiveStream } from '../support/http/live-stream.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';
import { until } from '../support/until.ts';

const hidden = { private: true } as const;

const PersonV1 = defineModel('PersonV1', {
  collection: 'people',
  fields: {
    id: t.string({ policy: { insert: true, sort: true } }),
    name: t.string({ policy: { sort: true } }),
    age: t.int({ default: 0, policy: { filter: ['gte'] } }),
    code: t.optional(t.string({ unique: true })),
    revision: t.revision(),
  },
  history: true,
  outbox: true,
});
/** Has another name for the same, and one more field. */
const PersonV2 = PersonV1.extend('PersonV2', {
  fields: {
    name: t.string({ default: '', policy: hidden }),
    fullName: t.string({ policy: { sort: true } }),
    born: t.nullable(t.date()),
  },
});

const database = useDatabase();
const serve = useServer();
const open: { close(): unknown }[] = [];
let [v1, v2]: [Api, Api] = [undefined as never, undefined as never];
let server: TestServer;

beforeEach(async () => {
  await database.db.dropDatabase();
  const old = service();
  const fresh = service();
  const options = { db: database.db, batch: true, idempotency: { principal: () => 'all' } } as const;
  const shared = { history: true, live: true } as const;
  v1 = old.api({ ...options, prefix: '/v1', version: '1.0.0', resources: [old.resource({ model: PersonV1, ...shared })] });
  const people = fresh.resource({
    model: PersonV2,
    ...shared,
    before: {
      create: [(_ctx, draft) => void Object.assign(draft, { name: draft.fullName })],
      change: [(_ctx, draft) => void (draft.fullName === undefined || Object.assign(draft, { name: draft.fullName }))],
    },
  });
  v2 = fresh.api({ ...options, prefix: '/v2', version: '2.0.0', resources: [people] });
  await Promise.all([applyIndexes(v1), applyIndexes(v2)]);
  server = await serve(v1.routes(), v2.routes());
});

afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  server.request(method, path, { body, headers });
const create = (id: string) => ask('POST', '/v2/people', { id, fullName: `Person ${id}` });

describe('two versions of an api over one collection', () => {
  it('have one revision for each record', async () => {
    expect((await create('a')).headers.etag).toBe('"0"');
    expect((await ask('PATCH', '/v1/people/a', { age: 5 }, { 'if-match': '"0"' })).headers.etag).toBe('"1"');
    expect((await ask('PATCH', '/v2/people/a', { fullName: 'x' }, { 'if-match': '"0"' })).status).toBe(412);
    expect((await ask('PATCH', '/v2/people/a', { fullName: 'x' }, { 'if-match': '"1"' })).body.data).toEqual({
      id: 'a',
      age: 5,
      fullName: 'x',
      born: null,
      revision: 2,
    });
    expect((await ask('GET', '/v1/people/a')).body.data).toEqual({ id: 'a', name: 'x', age: 5, revision: 2 });
  });

  it('serve a record of the other one that lacks a field', async () => {
    await ask('POST', '/v1/people', { id: 'a', name: 'Ann' });
    expect((await ask('GET', '/v1/people/a')).status).toBe(200);
    expect((await ask('GET', '/v2/people')).body.data).toMatchObject([{ id: 'a', born: null }]);
    expect((await ask('PATCH', '/v2/people/a', { fullName: 'Ann' })).body.data).toMatchObject({ fullName: 'Ann', revision: 1 });
  });

  it('take the cursors of each other where path, sort and filter are the same, as they show the same place', async () => {
    for (const id of ['a', 'b', 'c']) await create(id);
    const { next_cursor: cursor } = (await ask('GET', '/v1/people?limit=1&sort=id')).body.page;
    const path = (version: string) => `/${version}/people?limit=1&sort=id&after=${encodeURIComponent(cursor)}`;
    expect((await ask('GET', path('v1'))).body.data).toMatchObject([{ id: 'b' }]);
    expect((await ask('GET', path('v2'))).body.data).toMatchObject([{ id: 'b' }]);
    const refused = await ask('GET', `${path('v2')}&age[gte]=1`);
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_cursor']);
  });

  it('create their indexes once, and hold what is unique for both', async () => {
    expect([await applyIndexes(v1), await applyIndexes(v2)]).toEqual([[], []]);
    await create('a');
    await ask('PATCH', '/v2/people/a', { code: 'x' });
    expect((await ask('POST', '/v1/people', { id: 'b', name: 'Ben', code: 'x' })).status).toBe(409);
    expect((await ask('POST', '/v2/people', { id: 'b', fullName: 'Ben', code: 'x' })).status).toBe(409);
  });

  it('keep one history, and each shows the fields of its own', async () => {
    await create('a');
    await ask('PATCH', '/v1/people/a', { age: 5 });
    await ask('PATCH', '/v2/people/a', { born: '2000-01-01T00:00:00Z' });
    const changes = async (version: string) =>
      (await ask('GET', `/${version}/people/a/history`)).body.data.map(({ revision, changes: some }: Any) => [
        revision,
        some.map(({ path }: Any) => path).sort(),
      ]);
    expect(await changes('v2')).toEqual([
      [2, ['born']],
      [1, ['age']],
      [0, ['age', 'fullName']],
    ]);
    expect((await changes('v1')).map(([revision]: Any) => revision)).toEqual([1, 0]);
  });

  it('tell each other’s live lists of their writes', async () => {
    const lists = {
      v1: await new LiveStream(server.port, '/v1/people').opened(),
      v2: await new LiveStream(server.port, '/v2/people').opened(),
    };
    open.push(lists.v1, lists.v2);
    await create('a');
    expect((await lists.v1.sees(({ data }) => data.length === 1)).data).toEqual([{ id: 'a', name: 'Person a', age: 0, revision: 0 }]);
    await ask('PATCH', '/v1/people/a', { age: 7 });
    await lists.v2.sees(({ data }) => data[0]?.age === 7);
  });

  it('leave events in one outbox, which either of them hands on, each once', async () => {
    const seen: Event[] = [];
    open.push(
      await v1.deliver({ handle: (event) => void seen.push(event) }),
      await v2.deliver({ handle: (event) => void seen.push(event) }),
    );
    await create('a');
    await ask('PATCH', '/v1/people/a', { age: 5 });
    await until(() => seen.length === 2);
    const told = seen.map(({ type, revision, subject }) => [revision, type, subject]).sort();
    expect(told).toEqual([
      [0, 'personV2.created', 'a'],
      [1, 'personV1.patched', 'a'],
    ]);
  });

  it('are written to in batches of their own, and take an Idempotency-Key once', async () => {
    const operations = (body: object) => ({ operations: [{ method: 'POST', path: '/people', body }] });
    expect((await ask('POST', '/v2/batch', operations({ id: 'a', fullName: 'Ann' }))).status).toBe(200);
    expect((await ask('POST', '/v1/batch', operations({ id: 'b', name: 'Ben' }))).status).toBe(200);
    expect((await ask('GET', '/v1/people?sort=id')).body.data.map(({ name }: Any) => name)).toEqual(['Ann', 'Ben']);
    const keyed = (version: string, body: object) => ask('POST', `/${version}/people`, body, { 'idempotency-key': 'one' });
    const first = await keyed('v2', { id: 'c', fullName: 'Cat' });
    const again = await keyed('v2', { id: 'c', fullName: 'Cat' });
    expect((await keyed('v1', { id: 'c', name: 'Cat' })).body.code).toBe('idempotency_key_reused');
    expect([first.status, again.status, again.text === first.text]).toEqual([201, 201, true]);
  });

  it('describe themselves by names of their own', async () => {
    const [one, two] = [(await ask('GET', '/v1/openapi.json')).body, (await ask('GET', '/v2/openapi.json')).body];
    expect([one.info.version, two.info.version]).toEqual(['1.0.0', '2.0.0']);
    expect(Object.keys(one.components.schemas.PersonV1Read.properties)).toEqual(['id', 'name', 'age', 'code', 'revision']);
    expect(Object.keys(two.components.schemas.PersonV2Read.properties)).toEqual(['id', 'age', 'code', 'revision', 'fullName', 'born']);
  });
});
