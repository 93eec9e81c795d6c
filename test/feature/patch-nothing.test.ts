import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Part = t.object('Part', { a: t.string(), inner: t.optional(t.object('Inner', { b: t.string() })) });
const Loose = t.object('Loose', { m: t.optional(t.int()), deep: t.optional(t.object('Deep', { n: t.optional(t.int()) })) });
const Thing = defineModel('Thing', {
  collection: 'things',
  fields: { id: t.string(), part: t.optional(Part), loose: t.nullable(Loose), revision: t.revision(), at: t.updatedAt() },
});

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Thing })]);
const things = () => database.db.collection<{ _id: string; [key: string]: unknown }>('things');
const stored = () => things().findOne({ _id: 'x' });
const patch = (body: unknown, headers = {}) => api.request('PATCH', '/api/things/x', { body, headers });
/** How many updates of records the database has logged for its members to replay. */
const countUpdates = () => database.client.db('local').collection('oplog.rs').countDocuments({ ns: things().namespace, op: 'u' });

const part = { a: 'a', inner: { b: 'b' }, old: 1 };
const at = new Date(0);

beforeEach(() => things().deleteMany({}));

describe('a patch that names no key of an embedded object', () => {
  const cases: [what: string, before: object, body: object][] = [
    ['where the object is there', { part }, { part: {} }],
    ['where it could have been created from {}', { loose: { m: 1 } }, { loose: {} }],
    ['of several', { part, loose: {} }, { part: {}, loose: {} }],
    ['two levels down', { part }, { part: { inner: {} } }],
    ['two levels down, where both could have been created', { loose: { deep: {} } }, { loose: { deep: {} } }],
  ];

  it.each(cases)('is 200 without a write, a revision step or a new time: %s', async (_what, before, body) => {
    for (const kept of [{ revision: 7, at }, { revision: null }, {}]) {
      await things().replaceOne({ _id: 'x' }, { ...before, ...kept }, { upsert: true });
      const count = await countUpdates();
      const answer = await patch(body);
      expect([answer.status, answer.headers.etag]).toEqual([200, `"${kept.revision ?? 0}"`]);
      expect(await stored()).toEqual({ _id: 'x', ...before, ...kept });
      expect(await countUpdates()).toBe(count);
      expect((await api.request('GET', '/api/things/x')).text).toBe(answer.text);
    }
  });

  it.each<[what: string, before: object, body: object, after: object]>([
    ['one of several', { part }, { part: {}, loose: {} }, { part, loose: {} }],
    ['the inner one', { loose: { m: 1 } }, { loose: { deep: {} } }, { loose: { m: 1, deep: {} } }],
    ['the outer one, and so the inner one', { loose: null }, { loose: { deep: {} } }, { loose: { deep: {} } }],
  ])('is one write where %s has to be created', async (_what, before, body, after) => {
    await things().insertOne({ _id: 'x', ...before, revision: 3, at });
    const answer = await patch(body);
    expect([answer.status, answer.headers.etag]).toEqual([200, '"4"']);
    const { at: later, ...rest } = { at: undefined, ...(await stored()) };
    expect(rest).toEqual({ _id: 'x', ...after, revision: 4 });
    expect(later).not.toEqual(at);
  });

  it.each<[before: object, body: object, field: string]>([
    [{}, { part: {} }, 'part'],
    [{ part: { a: 'a' } }, { part: { inner: {} } }, 'part.inner'],
    [{ loose: null }, { loose: {}, part: {} }, 'part'],
  ])('is 422 where it is not there and has required keys: %j, %j', async (before, body, field) => {
    await things().insertOne({ _id: 'x', ...before, revision: 3 });
    const { status, body: problem } = await patch(body);
    expect([status, problem.errors.map((error: { field: string }) => error.field)]).toEqual([422, [field]]);
    expect(await stored()).toEqual({ _id: 'x', ...before, revision: 3 });
  });

  it.each(cases)('honours If-Match: %s', async (_what, before, body) => {
    await things().insertOne({ _id: 'x', ...before, revision: 3 });
    expect((await patch(body, { 'if-match': '"2"' })).status).toBe(412);
    expect((await patch(body, { 'if-match': '"3"' })).status).toBe(200);
    expect((await api.request('PATCH', '/api/things/none', { body })).status).toBe(404);
  });
});
