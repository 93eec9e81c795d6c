import type Koa from 'koa';
import mount from 'koa-mount';
import { defineModel, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';
import { withQuery } from '../support/http/with-query.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { id: t.string({ policy: { insert: true } }), text: t.string({ default: '' }), revision: t.revision() },
});

const database = useDatabase();
const serve = useServer();
const outside: Koa.Middleware = (ctx) => {
  ctx.status = 299;
  ctx.body = 'outside';
};
let api: TestServer;

function routes(prefix?: string): Koa.Middleware {
  const shop = service();
  const all = ['list', 'get', 'create', 'patch', 'put', 'delete'] as const;
  const resources = [
    shop.resource({ model: Doc, ops: all }),
    shop.resource({ model: Doc, path: 'default', operations: { touch: { handler: (ctx) => ctx.load() } } }),
    shop.resource({ model: Doc, path: 'read-only', ops: ['list', 'get'] }),
    shop.resource({ model: Doc, path: 'write-only', ops: ['create'] }),
    shop.resource({ model: Doc, path: 'delete-only', ops: ['delete'] }),
  ];
  return shop.api({ db: database.db, resources, ...(prefix !== undefined && { prefix }) }).routes();
}

beforeAll(async () => {
  await database.db.collection<{ _id: string }>('docs').insertMany([{ _id: 'a' }, { _id: 'docs' }]);
  api = await serve(routes('/api/v1'), outside);
});

describe('a path inside the prefix', () => {
  it.each([
    '/api/v1',
    '/api/v1/',
    '/api/v1//docs',
    '/api/v1/nothing',
    '/api/v1/Docs',
    '/api/v1/docs/',
    '/api/v1/docs//',
    '/api/v1/docs/a/',
    '/api/v1/default/a/touch/',
    '/api/v1/openapi.json/',
    '/api/v1/docs/a/b',
    '/api/v1/docs//a',
    '/api/v1/%64ocs',
    '/api/v1/docs%2Fa',
    '/api/v1/__proto__',
    '/api/v1/constructor/a',
    '/api/v1/docs;x=1',
  ])('that addresses nothing is a 404 problem: %s', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'PATCH']) {
      const { status, headers, body } = await api.request(method, path);
      expect([method, status, body?.code]).toEqual([method, 404, 'not_found']);
      expect(headers['content-type']).toBe('application/problem+json');
      expect(headers).not.toHaveProperty('allow');
    }
  });

  it.each([
    ['PUT', '/api/v1/docs', withQuery('GET, HEAD, POST')],
    ['PATCH', '/api/v1/docs', withQuery('GET, HEAD, POST')],
    ['DELETE', '/api/v1/docs', withQuery('GET, HEAD, POST')],
    ['POST', '/api/v1/docs/a', 'GET, HEAD, PATCH, PUT, DELETE'],
    ['TRACE', '/api/v1/docs/a', 'GET, HEAD, PATCH, PUT, DELETE'],
    ['PROPFIND', '/api/v1/docs/a', 'GET, HEAD, PATCH, PUT, DELETE'],
    ['PUT', '/api/v1/default/a', 'GET, HEAD, PATCH, DELETE'],
    ['POST', '/api/v1/read-only', withQuery('GET, HEAD')],
    ['PATCH', '/api/v1/read-only/a', 'GET, HEAD'],
    ['GET', '/api/v1/write-only', 'POST'],
    ['HEAD', '/api/v1/write-only', 'POST'],
    ['GET', '/api/v1/delete-only/a', 'DELETE'],
  ])('that has no such method is 405 with Allow: %s %s', async (method, path, allow) => {
    const { status, headers, body } = await api.request(method, path);
    expect([status, headers.allow]).toEqual([405, allow]);
    if (method !== 'HEAD')
      expect(body).toEqual({
        type: 'about:blank',
        title: 'Method Not Allowed',
        status: 405,
        detail: `Allowed here: ${allow}.`,
        code: 'method_not_allowed',
      });
  });

  it('is 404 and not 405 where the resource has no operation of that path', async () => {
    expect((await api.request('GET', '/api/v1/write-only/a')).status).toBe(404);
    expect((await api.request('GET', '/api/v1/delete-only')).status).toBe(404);
  });

  it('serves list, get, create, patch and delete by default, and put only when it is listed', async () => {
    expect((await api.request('GET', '/api/v1/default')).status).toBe(200);
    expect((await api.request('GET', '/api/v1/default/a')).status).toBe(200);
    expect((await api.request('POST', '/api/v1/default', { body: { id: 'n' } })).status).toBe(201);
    expect((await api.request('PATCH', '/api/v1/default/n', { body: { text: 'x' } })).status).toBe(200);
    expect((await api.request('PUT', '/api/v1/docs/n', { body: {} })).status).toBe(200);
    expect((await api.request('DELETE', '/api/v1/default/n')).status).toBe(204);
  });

  it('may be the name of the resource as an id', async () => {
    expect((await api.request('GET', '/api/v1/docs/docs')).body.data.id).toBe('docs');
  });

  it('ignores the query string of a path, and takes the absolute form', async () => {
    expect((await api.request('GET', '/api/v1/docs/a?x=/y')).status).toBe(200);
    expect((await api.request('GET', `http://other:1/api/v1/docs/a`)).status).toBe(200);
    const created = await api.request('POST', `http://other:1/api/v1/docs?x=1`, { body: { id: 'abs' } });
    expect(created.headers.location).toBe('/api/v1/docs/abs');
  });
});

describe('a path outside the prefix', () => {
  it.each(['/', '/api', '/api/', '/api/v', '/api/v10/docs', '/api/v1x', '/API/v1/docs', '/docs', '//api/v1/docs', '/x/api/v1/docs'])(
    'goes on to the next middleware: %s',
    async (path) => {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const { status, text } = await api.request(method, path);
        expect([method, status, text]).toEqual([method, 299, 'outside']);
      }
    },
  );

  it('does so for OPTIONS inside it, which belongs to the app', async () => {
    for (const path of ['/api/v1/docs', '/api/v1/nothing']) expect((await api.request('OPTIONS', path)).status).toBe(299);
  });

  it('has errors that are not ours', async () => {
    const failing = await serve(routes('/api'), () => {
      throw new Error('theirs');
    });
    const { status, headers } = await failing.request('GET', '/other');
    expect([status, headers['content-type']]).toEqual([500, 'text/plain; charset=utf-8']);
  });
});

describe('the place where an api is mounted', () => {
  it.each<[string, (serving: (prefix?: string) => Koa.Middleware) => Koa.Middleware, string]>([
    ['without a prefix', (serving) => serving(), ''],
    ['with a prefix', (serving) => serving('/api'), '/api'],
    ['by koa-mount', (serving) => mount('/outer', serving('/api')), '/outer/api'],
    ['by koa-mount, twice and without a prefix', (serving) => mount('/a', mount('/b.c', serving())), '/a/b.c'],
  ])('is part of Location: %s', async (name, mounting, base) => {
    const { request } = await serve(mounting(routes));
    const id = `ü/${name}`;
    const { status, headers } = await request('POST', `${base}/docs?x=1`, { body: { id } });
    expect([status, headers.location]).toEqual([201, `${base}/docs/${encodeURIComponent(id)}`]);
    expect((await request('GET', headers.location ?? '')).body.data.id).toBe(id);
  });

  it('keeps the headers that were set before it, on errors too', async () => {
    const { request } = await serve(async (ctx, next) => {
      ctx.set('Access-Control-Allow-Origin', '*');
      await next();
    }, routes('/api'));
    for (const path of ['/api/docs', '/api/docs/none', '/api/nothing']) {
      expect((await request('GET', path)).headers['access-control-allow-origin']).toBe('*');
    }
  });

  it('may be one of several: each answers below its own prefix', async () => {
    const { request } = await serve(routes('/one'), routes('/two'));
    expect((await request('GET', '/one/docs/a')).status).toBe(200);
    expect((await request('GET', '/two/docs/a')).status).toBe(200);
    expect((await request('GET', '/two/nothing')).body.code).toBe('not_found');
  });
});
