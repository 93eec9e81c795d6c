import { Binary, type Document as BsonDocument, UUID } from 'mongodb';
import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const fields = {
  at: t.date(),
  bytes: t.binary(),
  uuid: t.uuid(),
  list: t.array(t.date()),
  map: t.map(t.binary()),
  inner: t.object('Inner', { at: t.date() }),
  any: t.any(),
  odd: t.array(t.date()),
};
const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { id: t.string({ policy: { insert: true } }), ...fields, text: t.string({ default: 'x' }), revision: t.revision() },
});

/** Changes every Date and Binary in place, wherever it stands. */
function spoil(value: unknown): void {
  if (value instanceof Date) value.setTime(0);
  else if (value instanceof Binary) value.buffer.fill(255);
  else if (value instanceof Uint8Array) value.fill(255);
  else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) spoil(one);
}

const at = () => new Date('2026-01-31T12:00:00.000Z');
const bytes = () => new Binary(Buffer.from('abc'));
const uuid = () => new UUID('123e4567-e89b-42d3-a456-426614174000');
const untyped = () => ({ at: at(), deep: [{ bytes: bytes(), uuid: uuid() }] });
/** In document form. `odd` is stored as no list, though its field is one. */
const values = () => ({ at: at(), bytes: bytes(), uuid: uuid(), list: [at()], map: { k: bytes() }, inner: { at: at() }, any: untyped() });

/** What the server sets on create, and a hook still holds. */
let given: object = {};
const hook = (_ctx: unknown, record: unknown): void => spoil([record, given]);
const hooks = [hook] as never[];
const ops = ['list', 'get', 'create', 'patch', 'put', 'delete'] as const;

const database = useDatabase();
const api = useApi(database, (shop) => [
  shop.resource({
    model: Doc,
    ops,
    after: { list: hooks, get: hooks, create: hooks, patch: hooks, put: hooks, send: hooks },
    operations: { send: { handler: (ctx) => ctx.load() } },
  }),
  shop.resource({
    model: Doc,
    path: 'server',
    ops: ['create'],
    serverFields: () => {
      given = { ...values(), any: { ...untyped(), deep: [{ bytes: Buffer.from('abc'), uuid: uuid() }] }, odd: [] };
      return given;
    },
    after: { create: hooks },
  }),
  shop.resource({ model: Doc, path: 'plain', ops }),
]);
const docs = () => database.db.collection<BsonDocument & { _id: string }>('docs');

beforeEach(async () => {
  given = {};
  await docs().deleteMany({});
  await docs().insertOne({ _id: 'a', ...values(), odd: at(), text: 'x', revision: 1 });
});

describe('a Date or Binary that an after hook changes', () => {
  it.each([
    ['GET', ''],
    ['GET', '/a'],
    ['POST', '/a/send'],
    ['PATCH', '/a'],
  ])('does not change the answer: %s %s', async (method, path) => {
    const { body: before } = await api.request('GET', '/api/plain/a');
    const { status, body } = await api.request(method, `/api/docs${path}`, method === 'PATCH' ? { body: { text: 'y' } } : {});
    const revision = method === 'PATCH' ? { text: 'y', revision: 2 } : {};
    expect(status).toBe(200);
    expect(path === '' ? body.data[0] : body.data).toEqual({ ...before.data, ...revision });
  });

  it.each([
    ['POST', '', 201],
    ['PUT', '/a', 200],
  ])('nor that of what a client sends: %s %s', async (method, path, expected) => {
    const { body: before } = await api.request('GET', '/api/plain/a');
    const { id: _id, revision: _revision, ...sent } = { ...before.data, odd: ['2026-01-31T12:00:00.000Z'] };
    const { status, body } = await api.request(method, `/api/docs${path}`, { body: path === '' ? { ...sent, id: 'b' } : sent });
    expect(status).toBe(expected);
    expect(body.data).toMatchObject(sent);
  });

  it('nor that of what the server has set', async () => {
    const { body: before } = await api.request('GET', '/api/plain/a');
    const { status, body } = await api.request('POST', '/api/server', { body: { id: 'b' } });
    expect(status).toBe(201);
    expect(body.data).toEqual({ ...before.data, id: 'b', odd: [], revision: 0 });
    expect((await api.request('GET', '/api/plain/b')).body).toEqual(body);
  });
});
