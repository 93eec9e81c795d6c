import { type AfterHook, defineModel, Problem, t, Unauthorized } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.string({ policy: { insert: true } }),
    text: t.string({ default: 'd' }),
    at: t.nullable(t.date()),
    big: t.optional(t.int64()),
    secret: t.string({ default: 'hidden', policy: { private: true } }),
    revision: t.revision(),
  },
});

const calls: unknown[][] = [];
/** What the second hook does in the test at hand. */
let second: (() => unknown) | undefined;
const first: AfterHook = async (ctx, record) => {
  await new Promise((resolve) => setImmediate(resolve));
  calls.push(['first', record, ctx.res.headersSent, ctx.status]);
  ctx.state.by = 'first';
};
const next: AfterHook = (ctx, record) => {
  calls.push(['second', record, ctx.state.by]);
  return second?.();
};

const database = useDatabase();
const ops = ['list', 'get', 'create', 'patch', 'put', 'delete'] as const;
const hooks = [first, next] as never[];
const api = useApi(database, (shop) => [
  shop.resource({ model: Doc, ops, after: { list: hooks, get: hooks, create: hooks, patch: hooks, put: hooks, delete: hooks } }),
  shop.resource({ model: Doc, path: 'half', ops, after: { create: hooks } }),
]);
const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('docs');

const document = { id: 'a', text: 'x', at: new Date('2026-01-01T00:00:00.000Z'), big: 5n, secret: 's', revision: 1 };

beforeEach(async () => {
  calls.length = 0;
  api.errors.length = 0;
  second = undefined;
  await docs().deleteMany({});
  await docs().insertOne({ _id: 'a', text: 'x', at: document.at, big: 5n, secret: 's', revision: 1 });
});

const requests = [
  ['GET', '', 200, [document]],
  ['GET', '/a', 200, document],
  ['POST', '', 201, { id: 'new', text: 'y', at: null, secret: 'hidden', revision: 0 }],
  ['PATCH', '/a', 200, { ...document, text: 'y', revision: 2 }],
  ['PUT', '/a', 200, { id: 'a', text: 'y', at: null, secret: 's', revision: 2 }],
  ['DELETE', '/a', 204, document],
] as const;
const bodyOf = (method: string) =>
  method === 'POST' ? { body: { id: 'new', text: 'y' } } : method.startsWith('P') ? { body: { text: 'y' } } : {};

describe('after hooks', () => {
  it.each(requests)(
    'of %s%s run in order, each awaited, before the answer, with the record as a document',
    async (method, path, status, record) => {
      const answer = await api.request(method, `/api/docs${path}`, bodyOf(method));
      expect(answer.status).toBe(status);
      expect(calls).toEqual([
        ['first', record, false, expect.any(Number)],
        ['second', record, 'first'],
      ]);
      expect(answer.text).not.toContain('secret');
    },
  );

  it('run once the write is durable', async () => {
    let seen: unknown;
    second = async () => {
      seen = await docs().findOne({ _id: 'a' });
    };
    await api.request('DELETE', '/api/docs/a');
    expect(seen).toBeNull();
  });

  it.each(requests)(
    'of %s%s that throw make the answer a bare 500; the write stays, and app.on(error) is told',
    async (...[method, path]) => {
      second = () => {
        throw new Error('the mail server is down');
      };
      const answer = await api.request(method, `/api/docs${path}`, bodyOf(method));
      expect([answer.status, answer.body]).toEqual([500, { type: 'about:blank', title: 'Internal Server Error', status: 500 }]);
      for (const name of ['etag', 'location', 'link']) expect(answer.headers).not.toHaveProperty(name);
      expect(api.errors.map(({ message }) => message)).toEqual(['the mail server is down']);
      const stored = await docs().find().toArray();
      if (method === 'POST') expect(stored).toHaveLength(2);
      if (method.startsWith('PA') || method === 'PUT') expect(stored[0]).toMatchObject({ text: 'y', revision: 2 });
      if (method === 'DELETE') expect(stored).toEqual([]);
    },
  );

  it.each<[string, () => unknown]>([
    ['a problem', () => new Problem({ code: 'not_found', detail: 'no such mail' })],
    ['Unauthorized', () => new Unauthorized('no', { 'www-authenticate': 'Bearer' })],
    ['an exposed error', () => Object.assign(new Error('teapot'), { status: 418, expose: true })],
  ])('that throw %s make it 500 as well: the client must not think that nothing was written', async (_name, make) => {
    const error = make();
    second = async () => {
      throw error;
    };
    const answer = await api.request('PATCH', '/api/docs/a', { body: { text: 'y' } });
    expect(answer.body).toEqual({ type: 'about:blank', title: 'Internal Server Error', status: 500 });
    expect(answer.headers).not.toHaveProperty('www-authenticate');
    expect(api.errors.map(({ cause }) => cause)).toEqual([error]);
    expect(await docs().findOne({})).toMatchObject({ text: 'y' });
  });

  it('do not run when the operation fails, nor for an operation that they are not attached to', async () => {
    await api.request('GET', '/api/docs/none');
    await api.request('PATCH', '/api/docs/a', { body: { x: 1 } });
    await api.request('PATCH', '/api/docs/a', { body: {}, headers: { 'if-match': '"9"' } });
    await api.request('POST', '/api/docs', { body: { id: 'a' } });
    await api.request('GET', '/api/half');
    await api.request('PATCH', '/api/half/a', { body: { text: 'y' } });
    expect(calls).toEqual([]);
  });

  it('cannot change the answer through the record that they are given', async () => {
    second = () => Object.assign(calls[0]?.[1] as object, { text: 'forged' });
    const { body } = await api.request('GET', '/api/docs/a');
    expect(body.data.text).toBe('x');
  });
});
