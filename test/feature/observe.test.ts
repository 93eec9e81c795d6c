import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter, once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect as connectHttp2, constants, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import Koa from 'koa';
import { type Api, ConfigurationError, cursorPaging, defineModel, jsonBody, type Observation, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useListener } from '../support/http/listen.ts';
import { send } from '../support/http/serve.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { id: t.string({ policy: { insert: true } }), text: t.string({ default: '' }), revision: t.revision() },
});

const database = useDatabase();
const listen = useListener();
const seen: Observation[] = [];
const errors: Error[] = [];
const told = new EventEmitter();
const context = new AsyncLocalStorage<string>();
/** What the observer of the test at hand does. */
let observer: (() => void) | undefined;
let port: number;
let api: Api;

function makeApi(options: object): Api {
  const shop = service();
  return shop.api({
    db: database.db,
    prefix: '/api',
    maxConcurrency: 50,
    onError: (error: Error) => errors.push(error),
    resources: [
      shop.resource({
        model: Doc,
        guards: [
          (ctx) => {
            told.emit('begun');
            if (ctx.get('x-fail')) throw new Error('a bug');
            return true;
          },
        ],
        paging: cursorPaging({ total: true }),
        operations: {
          shout: {
            use: [jsonBody({ schema: t.object('Shout', { times: t.int({ default: 1 }) }) })],
            async handler(ctx) {
              const doc = await ctx.load();
              doc.text = doc.text.toUpperCase().repeat(ctx.request.body.times);
              return ctx.save(doc);
            },
          },
        },
      }),
    ],
    ...options,
  });
}

beforeAll(async () => {
  api = makeApi({
    observe(observation: Observation) {
      seen.push(observation);
      told.emit('told');
      observer?.();
    },
  });
  port = await listen(api.callback());
});
beforeEach(async () => {
  seen.length = 0;
  errors.length = 0;
  observer = undefined;
  await database.db.collection<{ _id: string; text: string }>('docs').deleteMany({});
  await database.db.collection<{ _id: string; text: string }>('docs').insertMany([
    { _id: 'a', text: 'x' },
    { _id: 'b', text: 'y' },
  ]);
});

/** Sends a request and waits until the observer was told of it. */
async function ask(method: string, path: string, sent = {}) {
  const heard = once(told, 'told');
  const answer = await send(port, method, path, sent);
  await heard;
  return answer;
}

describe('observe', () => {
  it.each<[string, string, object, Partial<Observation>]>([
    ['GET', '/api/docs', {}, { resource: 'docs', operation: 'list', status: 200, commandCount: 1 }],
    ['GET', '/api/docs?total=true&limit=1', {}, { operation: 'list', status: 200, commandCount: 2 }],
    ['GET', '/api/docs?x=1', {}, { operation: 'list', status: 400, commandCount: 0, databaseTime: 0 }],
    ['GET', '/api/docs/a', {}, { operation: 'get', status: 200, commandCount: 1 }],
    ['HEAD', '/api/docs/a', {}, { operation: 'get', status: 200, commandCount: 1 }],
    ['POST', '/api/docs', { body: { id: 'n' } }, { operation: 'create', status: 201, commandCount: 1 }],
    ['PATCH', '/api/docs/a', { body: { text: 'y' }, headers: { 'if-match': '"9"' } }, { operation: 'patch', status: 412, commandCount: 2 }],
    ['DELETE', '/api/docs/a', {}, { operation: 'delete', status: 204, commandCount: 1 }],
    ['POST', '/api/docs/a/shout', { body: {} }, { operation: 'shout', status: 200, commandCount: 2 }],
    ['GET', '/api/docs', { headers: { 'x-fail': '1' } }, { operation: 'list', status: 500, commandCount: 0 }],
    ['PUT', '/api/docs', {}, { resource: undefined, operation: undefined, status: 405, commandCount: 0 }],
    ['GET', '/api/nothing', {}, { resource: undefined, operation: undefined, status: 404 }],
    ['OPTIONS', '/api/docs', {}, { operation: undefined, status: 204 }],
    ['GET', '/api/openapi.json', {}, { resource: 'openapi.json', operation: 'openapi', status: 200, commandCount: 0 }],
  ])('is told of %s %s, once, with what it cost', async (method, path, sent, expected) => {
    await ask(method, path, sent);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ ...expected, isAborted: false, requestId: expect.any(String) });
    const { duration, databaseTime, commandCount } = seen[0] as Observation;
    expect(duration).toBeGreaterThan(0);
    if (commandCount > 0) expect(databaseTime).toBeGreaterThan(0);
    if (commandCount === 1) expect(databaseTime).toBeLessThanOrEqual(duration);
  });

  it('keeps requests apart that run at the same time', async () => {
    const paths = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? '/api/docs?total=true&limit=1' : '/api/docs/a'));
    await Promise.all(paths.map((path) => api.fetch(new Request(`http://in-process${path}`))));
    expect(seen.map(({ operation, commandCount }) => `${operation} ${commandCount}`).sort()).toEqual([
      ...Array(10).fill('get 1'),
      ...Array(10).fill('list 2'),
    ]);
  });

  it('tells an answer over HTTP/2 that has ended from one whose client went away', async () => {
    const heard = new EventEmitter();
    const shop = service();
    const begun = () => {
      const body = new PassThrough();
      body.write('begun');
      return body;
    };
    const api = shop.api({
      db: database.db,
      observe: (one) => void heard.emit('over', one),
      resources: [
        shop.resource({
          model: Doc,
          operations: { open: { method: 'GET', path: '/open', handler: (ctx) => void Object.assign(ctx, { body: begun() }) } },
        }),
      ],
    });
    const server = createHttp2Server((request, response) => void api.callback()(request as never, response as never)).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const over = once(heard, 'over');
    const stream = client.request({ ':path': '/openapi.json' });
    await once(stream.resume(), 'close');
    expect(await over).toEqual([expect.objectContaining({ status: 200, isAborted: false })]);
    const gone = once(heard, 'over');
    const unread = client.request({ ':path': '/docs/open' });
    await once(unread, 'response');
    unread.close(constants.NGHTTP2_CANCEL);
    expect(await gone).toEqual([expect.objectContaining({ status: 499, isAborted: true })]);
    client.destroy();
    server.close();
  });

  it('is told of a client that went away', async () => {
    const [begun, heard] = [once(told, 'begun'), once(told, 'told')];
    const request = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/api/docs', agent: false });
    request.on('error', () => undefined);
    request.write('{');
    await begun;
    request.destroy();
    await heard;
    expect(seen).toEqual([expect.objectContaining({ operation: 'create', status: 499, isAborted: true, commandCount: 0 })]);
  });

  it('runs in the context of the request, and cannot break it', async () => {
    const app = new Koa();
    const lines: unknown[] = [];
    observer = () => {
      lines.push(context.getStore());
      throw new Error('the log is full');
    };
    app.use((ctx, next) => context.run(ctx.get('x-name'), next)).use(api.routes());
    app.on('error', (error: Error) => errors.push(error));
    const inApp = await listen(app.callback());
    const heard = once(told, 'told');
    expect((await send(inApp, 'GET', '/api/docs', { headers: { 'x-name': 'ann' } })).status).toBe(200);
    await heard;
    expect([lines, errors.map(({ message }) => message)]).toEqual([['ann'], ['the log is full']]);
  });

  it('is not told of what is outside the prefix in an app', async () => {
    const inApp = await listen(new Koa().use(api.routes()).callback());
    await send(inApp, 'GET', '/other');
    await ask('GET', '/api/docs');
    expect(seen).toHaveLength(1);
  });
});

describe('the id of a request', () => {
  it('is the one that the client sent, in the header, in problems and in what is observed', async () => {
    const { headers, body } = await ask('GET', '/api/docs/none', { headers: { 'x-request-id': 'abc-1:2/3=' } });
    expect([headers['x-request-id'], body.request_id, seen[0]?.requestId]).toEqual(['abc-1:2/3=', 'abc-1:2/3=', 'abc-1:2/3=']);
    expect((await ask('GET', '/api/docs', { headers: { 'x-request-id': 'abc' } })).body).not.toHaveProperty('request_id');
  });

  it('is in a bare 500 too, and tells nothing else', async () => {
    const { body } = await ask('GET', '/api/docs', { headers: { 'x-fail': '1', 'x-request-id': 'abc' } });
    expect(body).toEqual({ type: 'about:blank', title: 'Internal Server Error', status: 500, request_id: 'abc' });
  });

  it.each([undefined, '', 'a b', 'a"b', 'ü', '<script>', 'x'.repeat(129)])(
    'is made where the client sent none that is harmless: %s',
    async (id) => {
      const { headers } = await ask('GET', '/api/nothing', {
        headers: { 'x-request-id': id === 'ü' ? Buffer.from(id).toString('latin1') : id },
      });
      expect(headers['x-request-id']).toMatch(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
    },
  );

  it('is the one that the app has given', async () => {
    const app = new Koa().use(async (ctx, next) => {
      ctx.set('X-Request-Id', 'of-the-app');
      await next();
    });
    const inApp = await listen(app.use(api.routes()).callback());
    const { headers, body } = await send(inApp, 'GET', '/api/nothing', { headers: { 'x-request-id': 'of-the-client' } });
    expect([headers['x-request-id'], body.request_id]).toEqual(['of-the-app', 'of-the-app']);
  });

  it.each<[object, boolean]>([
    [{}, false],
    [{ requestIds: true }, true],
    [{ observe: () => undefined }, true],
    [{ observe: () => undefined, requestIds: false }, false],
  ])('is there by option, or for an observer: %o', async (options, isThere) => {
    const response = await makeApi(options).fetch(new Request('http://in-process/api/nothing'));
    expect(response.headers.has('x-request-id')).toBe(isThere);
    expect('request_id' in ((await response.json()) as object)).toBe(isThere);
  });

  it.each([{ observe: 'log' }, { requestIds: 1 }])('has options that are checked: %j', (options) => {
    expect(() => makeApi(options)).toThrow(ConfigurationError);
  });
});
