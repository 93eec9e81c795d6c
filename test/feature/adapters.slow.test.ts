import { type Api, cursorPaging, defineModel, jsonBody, service, t, Unauthorized } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useListener } from '../support/http/listen.ts';
import { type Sent, send, type TestServer, useServer } from '../support/http/serve.ts';
import { withQuery } from '../support/http/with-query.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id: t.string({ policy: { insert: true, sort: true } }),
    text: t.string({ default: '', policy: { filter: true } }),
    big: t.optional(t.int64()),
    owner: t.string({ default: 'ann', policy: { private: true } }),
    revision: t.revision(),
  },
});

const database = useDatabase();
const serve = useServer();
const listen = useListener();
const errors: Error[] = [];
let inApp: TestServer;
let plain: number;
let api: Api<string>;

beforeAll(async () => {
  const shop = service({
    authenticate(ctx) {
      const token = ctx.get('authorization');
      if (token === 'stolen') throw new Unauthorized('No.', { 'www-authenticate': 'Bearer' });
      return token || undefined;
    },
  });
  api = shop.api({
    db: database.db,
    prefix: '/api',
    maxBody: 500,
    requestIds: true,
    onError: (error) => errors.push(error),
    resources: [
      shop.resource({
        model: Doc,
        ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
        guards: [(ctx) => ctx.requirePrincipal() !== 'guest'],
        scope: () => ({ owner: 'ann' }),
        paging: cursorPaging({ max: 2, total: true }),
        operations: {
          shout: {
            use: [jsonBody({ schema: t.object('Shout', { times: t.int({ minimum: 1 }) }) })],
            answer: 'record',
            async handler(ctx) {
              const doc = await ctx.load();
              doc.text = doc.text.toUpperCase().repeat(ctx.request.body.times);
              return ctx.save(doc);
            },
          },
          count: { method: 'GET', path: '/count', answer: t.object('Count', { all: t.int64() }), handler: () => ({ all: 2n ** 60n }) },
          touch: { handler: async (ctx) => void (await ctx.load()) },
          csv: {
            method: 'GET',
            path: '/csv',
            handler(ctx) {
              ctx.type = 'text/csv';
              ctx.body = 'a;b';
            },
          },
          leak: { path: '/leak', handler: () => ({ owner: 'ann' }) },
        },
      }),
      shop.resource({
        model: Doc,
        path: 'broken',
        ops: ['list'],
        guards: [
          () => {
            throw new Error('a bug');
          },
        ],
      }),
    ],
  });
  inApp = await serve(api.routes());
  plain = await listen(api.callback());
});

const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('docs');
beforeEach(async () => {
  errors.length = 0;
  await docs().deleteMany({});
  await docs().insertMany([
    { _id: 'a', text: 'ä', big: 9007199254740993n, owner: 'ann', revision: 3 },
    { _id: 'b', text: 'x', owner: 'ann', revision: 0 },
    { _id: 'c', text: 'y', owner: 'ann', revision: 0 },
    { _id: 'bens', text: 'z', owner: 'ben', revision: 0 },
  ]);
});

interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** What belongs to a connection and not to the answer. */
const ofConnection = ['date', 'connection', 'keep-alive', 'transfer-encoding'];

function withoutConnection(headers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.includes(name)));
}

/** An id that is made would differ from one request to the next. */
const given = { 'x-request-id': 'given-1' };

async function overHttp(port: number, method: string, path: string, sent: Sent): Promise<Seen> {
  const { status, headers, text } = await send(port, method, path, { ...sent, headers: { ...given, ...sent.headers } });
  return { status, headers: withoutConnection(headers), text };
}

async function inProcess(method: string, path: string, { body, headers }: Sent): Promise<Seen> {
  const bytes = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const type = bytes === undefined ? {} : { 'content-type': 'application/json' };
  const request = new Request(`http://in-process${path}`, {
    method,
    headers: { ...type, ...given, ...(headers as Record<string, string>) },
    ...(bytes === undefined ? {} : { body: bytes }),
  });
  const response = await api.fetch(request);
  return { status: response.status, headers: withoutConnection(Object.fromEntries(response.headers)), text: await response.text() };
}

const ann = { authorization: 'ann' };

describe('the same request', () => {
  it.each<[string, number, string, string, Sent]>([
    ['a list', 200, 'GET', '/api/docs', { headers: ann }],
    ['a page of several', 200, 'GET', '/api/docs?limit=1&sort=-id&total=true&text[ne]=%C3%A4', { headers: ann }],
    ['a query that is refused', 400, 'GET', '/api/docs?x=1', { headers: ann }],
    ['a get', 200, 'GET', '/api/docs/a', { headers: ann }],
    ['a get of what is known', 304, 'GET', '/api/docs/a', { headers: { ...ann, 'if-none-match': '"3"' } }],
    ['a get out of scope', 404, 'GET', '/api/docs/bens', { headers: ann }],
    ['a head', 200, 'HEAD', '/api/docs/a', { headers: ann }],
    ['a head of nothing', 404, 'HEAD', '/api/docs/none', { headers: ann }],
    ['a create', 201, 'POST', '/api/docs', { headers: ann, body: { id: 'n/ü', text: '😀', big: 1 } }],
    ['a create that is refused', 422, 'POST', '/api/docs', { headers: ann, body: { owner: 'ben', big: '1' } }],
    ['a create of what exists', 409, 'POST', '/api/docs', { headers: ann, body: { id: 'a' } }],
    ['a body that is too large', 413, 'POST', '/api/docs', { headers: ann, body: { id: 'x'.repeat(500) } }],
    ['a body of another type', 415, 'POST', '/api/docs', { headers: { ...ann, 'content-type': 'text/plain' }, body: '{}' }],
    ['a body that is no JSON', 400, 'POST', '/api/docs', { headers: ann, body: '{' }],
    ['a patch', 200, 'PATCH', '/api/docs/a', { headers: { ...ann, 'if-match': '"3"' }, body: { text: 'new' } }],
    ['a patch that comes too late', 412, 'PATCH', '/api/docs/a', { headers: { ...ann, 'if-match': '"2"' }, body: { text: 'new' } }],
    ['a put', 200, 'PUT', '/api/docs/a', { headers: ann, body: {} }],
    ['a delete', 204, 'DELETE', '/api/docs/a', { headers: ann }],
    ['bad credentials', 401, 'GET', '/api/docs', { headers: { authorization: 'stolen' } }],
    ['no credentials', 401, 'GET', '/api/docs', {}],
    ['a closed guard', 403, 'GET', '/api/docs', { headers: { authorization: 'guest' } }],
    ['a path that is none', 404, 'GET', '/api/nothing', {}],
    ['a path below a record', 404, 'GET', '/api/docs/a/b', {}],
    ['the prefix itself', 404, 'GET', '/api', {}],
    ['a method that is none', 405, 'POST', '/api/docs/a', { body: {} }],
    ['a method of another protocol', 405, 'PROPFIND', '/api/docs', {}],
    ['an unexpected error', 500, 'GET', '/api/broken', { headers: ann }],
    ['a custom operation', 200, 'POST', '/api/docs/a/shout', { headers: { ...ann, 'if-match': '"3"' }, body: { times: 2 } }],
    [
      'a custom operation that comes too late',
      412,
      'POST',
      '/api/docs/a/shout',
      { headers: { ...ann, 'if-match': '"2"' }, body: { times: 2 } },
    ],
    ['a custom operation with a wrong body', 422, 'POST', '/api/docs/a/shout', { headers: ann, body: { times: 0, x: 1 } }],
    ['a custom operation out of scope', 404, 'POST', '/api/docs/bens/shout', { headers: ann, body: { times: 2 } }],
    ['a custom operation of the collection', 200, 'GET', '/api/docs/count', { headers: ann }],
    ['the head of one', 200, 'HEAD', '/api/docs/count', { headers: ann }],
    ['a custom operation that answers nothing', 204, 'POST', '/api/docs/a/touch', { headers: ann }],
    ['one with a body of its own', 200, 'GET', '/api/docs/csv', { headers: ann }],
    ['one whose answer is refused', 500, 'POST', '/api/docs/leak', { headers: ann }],
    ['the id of another request', 404, 'GET', '/api/nothing', { headers: { 'x-request-id': 'other:1' } }],
    ['the description', 200, 'GET', '/api/openapi.json', {}],
  ])('%s is answered %i, byte for byte the same by routes(), callback() and fetch()', async (_what, status, method, path, sent) => {
    const before = await docs().find().toArray();
    const answers: Seen[] = [];
    for (const ask of [
      () => overHttp(inApp.port, method, path, sent),
      () => overHttp(plain, method, path, sent),
      () => inProcess(method, path, sent),
    ]) {
      answers.push(await ask());
      await docs().deleteMany({});
      await docs().insertMany(before);
    }
    expect(answers[0]?.status).toBe(status);
    const id = sent.headers?.['x-request-id'] ?? 'given-1';
    expect(answers[0]?.headers['x-request-id']).toBe(id);
    if (status >= 400 && method !== 'HEAD') expect(JSON.parse(answers[0]?.text ?? '')).toHaveProperty('request_id', id);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it('tells of an unexpected error through onError, where there is no app', async () => {
    await overHttp(plain, 'GET', '/api/broken', { headers: ann });
    await inProcess('GET', '/api/broken', { headers: ann });
    expect(errors.map(({ message }) => message)).toEqual(['a bug', 'a bug']);
    expect(inApp.errors.map(({ message }) => message)).toContain('a bug');
  });
});

describe('callback() and fetch()', () => {
  it.each([
    ['/api/docs', `${withQuery('GET, HEAD, POST')}, OPTIONS`],
    ['/api/docs/a', 'GET, HEAD, PATCH, PUT, DELETE, OPTIONS'],
    ['/api/docs/none', 'GET, HEAD, PATCH, PUT, DELETE, OPTIONS'],
    ['/api/broken', `${withQuery('GET, HEAD')}, OPTIONS`],
    ['/api/openapi.json', 'GET, HEAD, OPTIONS'],
  ])('answer OPTIONS with 204 and Allow, to everybody: %s', async (path, allow) => {
    for (const answer of [
      await overHttp(plain, 'OPTIONS', path, { headers: { authorization: 'stolen' } }),
      await inProcess('OPTIONS', path, {}),
    ]) {
      const type = 'application/json';
      const accepts = {
        ...(/POST|PUT|PATCH|QUERY/.test(allow) ? { accept: type } : {}),
        ...(allow.includes('QUERY') ? { 'accept-query': type } : {}),
        ...(allow.includes('PATCH') ? { 'accept-patch': `application/merge-patch+json, ${type}` } : {}),
      };
      expect(answer).toEqual({ status: 204, headers: { allow, ...accepts, 'x-content-type-options': 'nosniff', ...given }, text: '' });
    }
  });

  it.each(['/', '/apis/docs', '/other', '/API/docs'])('answer 404 as a problem outside the prefix: %s', async (path) => {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      for (const answer of [await overHttp(plain, method, path, {}), await inProcess(method, path, {})]) {
        expect([method, answer.status, answer.headers['content-type']]).toEqual([method, 404, 'application/problem+json']);
      }
    }
  });

  it('answer OPTIONS of what does not exist with 404', async () => {
    expect((await overHttp(plain, 'OPTIONS', '/api/nothing', {})).status).toBe(404);
    expect((await inProcess('OPTIONS', '/api/docs/a/b', {})).status).toBe(404);
  });
});
