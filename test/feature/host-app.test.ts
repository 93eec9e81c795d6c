import cors from '@koa/cors';
import type Koa from 'koa';
import compress from 'koa-compress';
import { defineModel, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { id: t.string({ policy: { insert: true } }), text: t.string({ default: '' }), revision: t.revision() },
});

const database = useDatabase();
const serve = useServer();

function routes(): Koa.Middleware {
  const shop = service();
  const guard = (ctx: Koa.Context) => {
    if (ctx.get('x-fail')) throw new Error('a bug');
    return ctx.get('x-closed') === '';
  };
  return shop.api({ db: database.db, prefix: '/api', maxBody: 200, resources: [shop.resource({ model: Doc, guards: [guard] })] }).routes();
}

beforeAll(async () => {
  await database.db.collection<{ _id: string }>('docs').insertOne({ _id: 'a' });
});

/** As many an app does it. */
const ownErrors: Koa.Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    ctx.status = 599;
    ctx.body = { ours: (error as Error).message };
  }
};

/** As koa-bodyparser does it, for every route of the app. */
const bodyParser: Koa.Middleware = async (ctx, next) => {
  const chunks: Buffer[] = [];
  for await (const chunk of ctx.req) chunks.push(chunk as Buffer);
  const rawBody = Buffer.concat(chunks).toString();
  Object.assign(ctx.request, rawBody === '' ? { body: {} } : { rawBody, body: JSON.parse(rawBody) });
  await next();
};

describe('CORS of the app (@koa/cors)', () => {
  let app: TestServer;
  const origin = { origin: 'https://shop.test' };
  beforeAll(async () => {
    app = await serve(
      cors({ origin: (ctx) => ctx.get('origin'), exposeHeaders: 'ETag,Location', allowMethods: 'GET,PATCH', keepHeadersOnError: true }),
      routes(),
    );
  });

  it.each<[string, number, string, string, Record<string, string>]>([
    ['an answer', 200, 'GET', '/api/docs/a', {}],
    ['what has not changed', 304, 'GET', '/api/docs/a', { 'if-none-match': '"0"' }],
    ['a 404', 404, 'GET', '/api/docs/none', {}],
    ['a 405', 405, 'PUT', '/api/docs', {}],
    ['a 403', 403, 'GET', '/api/docs', { 'x-closed': '1' }],
    ['a 500', 500, 'GET', '/api/docs', { 'x-fail': '1' }],
  ])('has its headers on %s', async (_what, status, method, path, headers) => {
    const answer = await app.request(method, path, { headers: { ...origin, ...headers } });
    expect([answer.status, answer.headers['access-control-allow-origin'], answer.headers.vary]).toEqual([
      status,
      'https://shop.test',
      status < 400 ? 'Origin, Authorization, Cookie' : 'Origin',
    ]);
  });

  it('answers its preflight itself', async () => {
    const { status, headers } = await app.request('OPTIONS', '/api/docs/a', {
      headers: { ...origin, 'access-control-request-method': 'PATCH' },
    });
    expect([status, headers['access-control-allow-methods']]).toEqual([204, 'GET,PATCH']);
  });
});

describe('compression of the app (koa-compress)', () => {
  it('codes records, lists, problems and the description', async () => {
    const app = await serve(compress({ threshold: 0, br: false, deflate: false, zstd: false }), routes());
    for (const path of ['/api/docs', '/api/docs/a', '/api/docs/none', '/api/openapi.json']) {
      const plain = await app.request('GET', path, { headers: { 'accept-encoding': 'identity' } });
      const response = await fetch(`http://127.0.0.1:${app.port}${path}`, { headers: { 'accept-encoding': 'gzip' } });
      expect([response.status, response.headers.get('content-encoding'), await response.text()]).toEqual([
        plain.status,
        'gzip',
        plain.text,
      ]);
    }
    const { status, text } = await app.request('HEAD', '/api/docs/a', { headers: { 'accept-encoding': 'gzip' } });
    expect([status, text]).toEqual([200, '']);
    const write = await fetch(`http://127.0.0.1:${app.port}/api/docs/a`, {
      method: 'PATCH',
      headers: { 'accept-encoding': 'gzip', 'content-type': 'application/json' },
      body: '{"text":"coded"}',
    });
    expect([write.headers.get('content-encoding'), write.headers.get('etag'), await write.json()]).toEqual([
      'gzip',
      '"1"',
      { data: { id: 'a', text: 'coded', revision: 1 } },
    ]);
  });
});

describe('the error handling of the app', () => {
  it('sees nothing of our errors, and all of the others', async () => {
    const app = await serve(ownErrors, routes(), () => {
      throw new Error('theirs');
    });
    expect((await app.request('GET', '/api/docs/none')).body.code).toBe('not_found');
    expect((await app.request('GET', '/api/docs', { headers: { 'x-fail': '1' } })).body).toEqual({
      type: 'about:blank',
      title: 'Internal Server Error',
      status: 500,
    });
    expect((await app.request('GET', '/other')).body).toEqual({ ours: 'theirs' });
    expect(app.errors.map(({ message }) => message)).toEqual(['a bug']);
  });

  it('may change what comes up', async () => {
    const app = await serve(async (ctx, next) => {
      await next();
      ctx.set('Server-Timing', 'app');
      if (ctx.status === 404) ctx.body = { ours: 'nothing here' };
    }, routes());
    expect((await app.request('GET', '/api/docs/none')).body).toEqual({ ours: 'nothing here' });
    expect((await app.request('GET', '/api/docs/a')).headers['server-timing']).toBe('app');
  });
});

describe('a status that the app has set before', () => {
  it.each(['/api/docs', '/api/docs/a', '/api/openapi.json'])('does not become that of an answer: GET %s', async (path) => {
    const app = await serve(async (ctx, next) => {
      ctx.status = 202;
      await next();
    }, routes());
    expect((await app.request('GET', path)).status).toBe(200);
  });
});

describe('a body parser of the app', () => {
  it('may have read the body, and kept its text', async () => {
    const app = await serve(bodyParser, routes());
    const created = await app.request('POST', '/api/docs', { body: { id: 'parsed', text: 'ü' } });
    expect([created.status, created.body.data.text]).toEqual([201, 'ü']);
    expect((await app.request('PATCH', '/api/docs/parsed', { body: '{"text":1e400}' })).status).toBe(422);
    expect((await app.request('PATCH', '/api/docs/parsed')).status).toBe(422);
    expect((await app.request('POST', '/api/docs', { body: { id: 'x'.repeat(200) } })).status).toBe(413);
    expect((await app.request('GET', '/api/docs')).status).toBe(200);
    expect(app.errors).toEqual([]);
  });

  it('that kept nothing is told of, instead of taking the body for empty', async () => {
    const app = await serve(async (ctx, next) => {
      for await (const _chunk of ctx.req);
      await next();
    }, routes());
    for (const length of [{}, { 'content-length': undefined, 'transfer-encoding': 'chunked' }]) {
      expect((await app.request('POST', '/api/docs', { body: { id: 'lost' }, headers: length })).status).toBe(500);
      expect(app.errors.splice(0).map(({ message }) => message)).toEqual([expect.stringContaining('`ctx.request.rawBody`')]);
    }
    expect((await app.request('POST', '/api/docs')).status).toBe(422);
  });
});
