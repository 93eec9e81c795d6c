import type Koa from 'koa';
import { type caching, defineModel, type Service, service, t, Unauthorized } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useListener } from '../support/http/listen.ts';
import { send, type TestServer, useServer } from '../support/http/serve.ts';

const Note = defineModel('Note', {
  collection: 'notes',
  fields: { id: t.string({ policy: { insert: true } }), text: t.string({ default: '' }), revision: t.revision() },
});

const database = useDatabase();
const serve = useServer();
const listen = useListener();
let api: TestServer;
let plain: number;

type Options = Parameters<typeof caching>[0];

function apiOf(options: Options = {}) {
  const shop: Service<never> = service();
  const notes = (path: string, own: Options = options) =>
    shop.resource({
      model: Note,
      path,
      ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
      ...own,
      operations: {
        touch: { handler: (ctx) => ctx.load() },
        look: { method: 'GET', handler: (ctx) => ctx.load() },
        fresh: {
          method: 'GET',
          handler(ctx) {
            ctx.set('Cache-Control', 'max-age=1');
            ctx.vary('Accept-Language');
            return ctx.load();
          },
        },
        fail: {
          handler() {
            throw new Unauthorized('No.', { 'cache-control': 'max-age=1' });
          },
        },
      },
    });
  return shop.api({
    db: database.db,
    prefix: '/api',
    docs: true,
    resources: [notes('notes'), notes('public', { cacheControl: 'public, max-age=60', vary: [] }), notes('keyed', { vary: ['X-Api-Key'] })],
  });
}

beforeAll(async () => {
  await database.db.collection<{ _id: string }>('notes').insertMany([{ _id: 'a' }, { _id: 'gone' }]);
  api = await serve(apiOf().routes());
  plain = await listen(apiOf().callback());
});

const cacheHeaders = async (path: string, method = 'GET', sent = {}, server = api) => {
  const { status, headers } = await server.request(method, path, sent);
  return [status, headers['cache-control'], headers.vary];
};
const guarded = ['private, no-cache', 'Authorization, Cookie'];

describe('an answer with records', () => {
  it.each<[string, string, number, object]>([
    ['GET', '/api/notes', 200, {}],
    ['HEAD', '/api/notes', 200, {}],
    ['GET', '/api/notes/a', 200, {}],
    ['HEAD', '/api/notes/a', 200, {}],
    ['GET', '/api/notes/a', 304, { headers: { 'if-none-match': '*' } }],
    ['GET', '/api/notes/a/look', 200, {}],
    ['GET', '/api/notes/a/look', 304, { headers: { 'if-none-match': '*' } }],
    ['POST', '/api/notes/a/touch', 200, {}],
    ['POST', '/api/notes', 201, { body: { id: 'b' } }],
    ['PATCH', '/api/notes/a', 200, { body: {} }],
    ['PUT', '/api/notes/a', 200, { body: {} }],
  ])('is for the one who asked, and is asked about again: %s %s %i', async (method, path, status, sent) => {
    expect(await cacheHeaders(path, method, sent)).toEqual([status, ...guarded]);
  });

  it('has its ETag as a 304 too', async () => {
    const { headers, text } = await api.request('GET', '/api/notes/gone', { headers: { 'if-none-match': '"0"' } });
    expect([headers.etag, text]).toEqual(['"0"', '']);
    expect(headers).not.toHaveProperty('content-type');
  });

  it('has what its resource says instead', async () => {
    expect(await cacheHeaders('/api/public/a')).toEqual([200, 'public, max-age=60', undefined]);
    expect(await cacheHeaders('/api/keyed')).toEqual([200, 'private, no-cache', 'X-Api-Key']);
  });

  it('has what its handler says instead, and Vary appended', async () => {
    expect(await cacheHeaders('/api/notes/a/fresh')).toEqual([200, 'max-age=1', 'Accept-Language, Authorization, Cookie']);
  });

  it('has what the app has said before or says behind it, and Vary appended to what is there', async () => {
    const before: Koa.Middleware = async (ctx, next) => {
      ctx.set({ 'Cache-Control': 'max-age=5', Vary: 'Origin, cookie' });
      await next();
    };
    const behind: Koa.Middleware = async (ctx, next) => {
      await next();
      ctx.set({ 'Cache-Control': 'max-age=6', Vary: '*' });
    };
    const any: Koa.Middleware = async (ctx, next) => {
      ctx.set('Vary', '*');
      await next();
    };
    expect(await cacheHeaders('/api/notes/a', 'GET', {}, await serve(before, apiOf().routes()))).toEqual([
      200,
      'max-age=5',
      'Origin, cookie, Authorization',
    ]);
    expect(await cacheHeaders('/api/notes/a', 'GET', {}, await serve(behind, apiOf().routes()))).toEqual([200, 'max-age=6', '*']);
    expect(await cacheHeaders('/api/notes/a', 'GET', {}, await serve(any, apiOf().routes()))).toEqual([200, 'private, no-cache', '*']);
  });

  it.each<[Options, string]>([
    [{ cacheControl: '' }, '`cacheControl` of resource `notes` must be the value of a header'],
    [{ cacheControl: 'a\r\nb: c' }, '`cacheControl` of resource `notes` must be the value of a header'],
    [{ cacheControl: 5 as never }, '`cacheControl` of resource `notes` must be the value of a header'],
    [{ vary: 'Cookie' as never }, '`vary` of resource `notes` must be a list of names of headers'],
    [{ vary: ['a b'] }, '`vary` of resource `notes` must be a list of names of headers'],
    [{ vary: [''] }, '`vary` of resource `notes` must be a list of names of headers'],
  ])('is not made from what is not a header: %j', (options, message) => {
    expect(() => apiOf(options)).toThrow(message);
  });
});

describe('a problem', () => {
  it('is kept by nobody', async () => {
    for (const [method, path, expected] of [
      ['GET', '/api/notes/none', 404],
      ['GET', '/api/none', 404],
      ['GET', '/api/public/none', 404],
      ['PUT', '/api/notes', 405],
      ['GET', '/api/notes?no=1', 400],
      ['POST', '/api/notes', 422],
    ] as const) {
      const [status, cacheControl] = await cacheHeaders(path, method);
      expect([path, status, cacheControl]).toEqual([path, expected, 'no-store']);
    }
  });

  it('is not kept where the app has said that its answers are, but where the error itself says so', async () => {
    const kept = await serve((ctx, next) => {
      ctx.set('Cache-Control', 'public, max-age=60');
      return next();
    }, apiOf().routes());
    expect((await cacheHeaders('/api/notes/none', 'GET', {}, kept))[1]).toBe('no-store');
    expect((await cacheHeaders('/api/notes/a/fail', 'POST')).slice(0, 2)).toEqual([401, 'max-age=1']);
  });
});

describe('every answer', () => {
  it.each([
    ['GET', '/api/notes'],
    ['HEAD', '/api/notes/a'],
    ['POST', '/api/notes/a/touch'],
    ['DELETE', '/api/notes/gone'],
    ['DELETE', '/api/notes/gone'],
    ['GET', '/api/none'],
    ['PUT', '/api/notes'],
    ['GET', '/api/openapi.json'],
    ['GET', '/api/docs'],
    ['OPTIONS', '/api/notes'],
    ['GET', '/outside'],
  ])('says that its type is what it says: %s %s', async (method, path) => {
    expect((await send(plain, method, path)).headers['x-content-type-options']).toBe('nosniff');
    const { headers } = await api.request(method, path);
    const isTheApps = method === 'OPTIONS' || path === '/outside';
    expect(headers['x-content-type-options']).toBe(isTheApps ? undefined : 'nosniff');
  });

  it.each([
    ['GET', '/api/notes', 200, 'application/json; charset=utf-8'],
    ['GET', '/api/notes/a', 200, 'application/json; charset=utf-8'],
    ['GET', '/api/notes/none', 404, 'application/problem+json'],
    ['POST', '/api/notes/a/touch', 200, 'application/json; charset=utf-8'],
  ])('is JSON whatever the client accepts, and never 406: %s %s', async (method, path, status, type) => {
    for (const accept of ['text/html', 'application/xml, */*;q=0', 'application/json;q=0', 'x']) {
      const answer = await api.request(method, path, { headers: { accept } });
      expect([answer.status, answer.headers['content-type']]).toEqual([status, type]);
    }
  });

  it('says that its type is what it says where it is a 500 or in process, too', async () => {
    const shop = service();
    const failing = shop.resource({
      model: Note,
      guards: [
        () => {
          throw new Error('bug');
        },
      ],
    });
    const broken = shop.api({ db: database.db, resources: [failing], onError: () => undefined });
    const { status, headers } = await broken.fetch(new Request('http://in-process/notes'));
    expect([status, headers.get('x-content-type-options'), headers.get('cache-control')]).toEqual([500, 'nosniff', 'no-store']);
  });
});

const patchTypes = 'application/merge-patch+json, application/json';

describe('a 415', () => {
  const refused = { body: '<a/>', headers: { 'content-type': 'text/xml' } };
  const accepts = async (method: string, path: string, sent: object) => {
    const { status, headers } = await api.request(method, path, sent);
    return [status, headers.accept, headers['accept-patch'], headers['accept-encoding']];
  };

  it('says what is accepted (RFC 9110 §12.5.1), of a PATCH by Accept-Patch too (RFC 5789 §2.2)', async () => {
    expect(await accepts('POST', '/api/notes', refused)).toEqual([415, 'application/json', undefined, undefined]);
    expect(await accepts('PUT', '/api/notes/a', refused)).toEqual([415, 'application/json', undefined, undefined]);
    expect(await accepts('PATCH', '/api/notes/a', refused)).toEqual([415, 'application/json', patchTypes, undefined]);
  });

  it('says that no coding is accepted where that was the reason (RFC 9110 §12.5.3)', async () => {
    const coded = { body: {}, headers: { 'content-encoding': 'gzip' } };
    expect(await accepts('PATCH', '/api/notes/a', coded)).toEqual([415, 'application/json', patchTypes, 'identity']);
  });
});

describe('OPTIONS', () => {
  it('says by Accept-Patch what a PATCH takes (RFC 5789 §3.1), and by Accept what is taken at all', async () => {
    const accepts = async (path: string) => {
      const { status, headers } = await send(plain, 'OPTIONS', path);
      return [status, headers.accept, headers['accept-patch']];
    };
    expect(await accepts('/api/notes/a')).toEqual([204, 'application/json', patchTypes]);
    expect(await accepts('/api/notes')).toEqual([204, 'application/json', undefined]);
    expect(await accepts('/api/notes/a/look')).toEqual([204, undefined, undefined]);
    expect(await accepts('/api/notes/a/touch')).toEqual([204, undefined, undefined]);
    expect(await accepts('/api/openapi.json')).toEqual([204, undefined, undefined]);
  });
});
