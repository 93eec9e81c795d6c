import Router from '@koa/router';
import Koa from 'koa';
import mount from 'koa-mount';
import { type Api, cursorPaging, defineModel, type PlainOptions, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useListener } from '../support/http/listen.ts';
import { type Answer, type Sent, send } from '../support/http/serve.ts';
import { withQuery } from '../support/http/with-query.ts';

const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: { id: t.string({ policy: { insert: true, sort: true } }), tenant: t.string({ default: 'none', policy: { insert: false } }) },
});

const database = useDatabase();
const listen = useListener();

function makeApi(prefix?: string, options: PlainOptions = {}): Api {
  const shop = service<never, never, Koa.Context & { readonly params: { readonly tenant?: string } }>();
  return shop.api({
    db: database.db,
    ...options,
    ...(prefix !== undefined && { prefix }),
    resources: [
      shop.resource({
        model: Doc,
        paging: cursorPaging({ max: 1 }),
        serverFields: (ctx) => ({ tenant: String(ctx.params.tenant ?? 'none') }),
        operations: {
          where: { method: 'GET', handler: async (ctx) => ({ of: (await ctx.load()).id, tenant: ctx.params.tenant ?? 'none' }) },
          all: { method: 'GET', path: '/all', handler: (ctx) => ctx.path.endsWith('/docs/all') },
        },
      }),
    ],
  });
}

beforeAll(async () => {
  await database.db.collection<{ _id: string }>('docs').insertMany([{ _id: 'a' }, { _id: 'b' }]);
});

type Ask = (method: string, path: string, sent?: Sent) => Promise<Answer>;

async function ask(app: Koa): Promise<Ask> {
  const port = await listen(app.callback());
  return (...given) => send(port, ...given);
}

function routed(build: (router: Router) => void): Koa {
  const router = new Router();
  build(router);
  const app = new Koa();
  app.use(router.routes()).use(router.allowedMethods());
  return app;
}

/** All that an answer says of where the api is, and whether it is there. */
async function expectAt(base: string, request: Ask, name: string): Promise<void> {
  const id = `ü/${name}`;
  const created = await request('POST', `${base}/docs?x=1`, { body: { id } });
  expect([created.status, created.headers.location]).toEqual([201, `${base}/docs/${encodeURIComponent(id)}`]);
  expect((await request('GET', created.headers.location as string)).body.data.id).toBe(id);
  expect((await request('GET', `${created.headers.location}/where`)).body.data).toEqual({ of: id, tenant: created.body.data.tenant });
  expect((await request('GET', `${base}/docs/all`)).body).toEqual({ data: true });
  const list = await request('GET', `${base}/docs?sort=id`);
  const [, next = ''] = /^<([^>]+)>; rel="next"$/.exec(list.headers.link as string) ?? [];
  expect(next).toMatch(`${base}/docs?`);
  expect((await request('GET', next)).body.data).toEqual([expect.objectContaining({ id: 'b' })]);
  const { body } = await request('GET', `${base}/openapi.json`);
  expect(`${body.servers[0].url}${Object.keys(body.paths)[0]}`.replace('//', '/')).toBe(`${base}/docs`);
}

describe('routes() under a mount', () => {
  it.each<[string, string, () => Koa]>([
    ['a nested router', '/v1/api', () => routed((router) => router.use('/v1', makeApi('/api').routes()))],
    ['a nested router, without a prefix of its own', '/v1', () => routed((router) => router.use('/v1', makeApi().routes()))],
    ['a router without a path', '/api', () => routed((router) => router.use(makeApi('/api').routes()))],
    ['a router with a prefix', '/v2/api', () => routed((router) => router.prefix('/v2').use(makeApi('/api').routes()))],
    [
      'a router in a router',
      '/out/er/in/api',
      () => {
        const inner = new Router().use('/in', makeApi('/api').routes());
        return routed((router) => router.prefix('/out').use('/er', inner.routes()));
      },
    ],
    ['a path with a parameter', '/t/acme/api', () => routed((router) => router.use('/t/:tenant', makeApi('/api').routes()))],
    [
      'a router in koa-mount',
      '/m/v1/api',
      () =>
        new Koa().use(
          mount(
            '/m',
            routed((router) => router.use('/v1', makeApi('/api').routes())),
          ),
        ),
    ],
    [
      'a whole path as the prefix, in a route of the app',
      '/v1/api',
      () => routed((router) => router.all('/v1/{*rest}', makeApi('/v1/api').routes())),
    ],
    [
      'several routers',
      '/two/api',
      () => routed((router) => router.use('/one', makeApi('/api').routes()).use('/two', makeApi('/api').routes())),
    ],
  ])('%s: Location, Link and the server of the description are right', async (name, base, makeApp) => {
    await expectAt(base, await ask(makeApp()), name);
  });

  it('keeps the parameters of its mount', async () => {
    const request = await ask(routed((router) => router.use('/t/:tenant', makeApi().routes())));
    expect((await request('POST', '/t/acme/docs', { body: { id: 'of acme' } })).body.data.tenant).toBe('acme');
  });

  it('answers inside of it and nowhere else', async () => {
    const request = await ask(
      routed((router) =>
        router.use('/v1', makeApi('/api').routes()).get('/v1/other', (ctx) => {
          ctx.body = 'other';
        }),
      ),
    );
    for (const path of ['/v1/api/nothing', '/v1/api', '/v1/api/', '/v1/api/docs/', '/v1/api//docs', '/v1/api/docs/a/b']) {
      expect([path, (await request('GET', path)).body?.code]).toEqual([path, 'not_found']);
    }
    expect((await request('PUT', '/v1/api/docs')).headers.allow).toBe(withQuery('GET, HEAD, POST'));
    for (const path of ['/v1', '/v1/', '/v1/apis/docs', '/v1x/api/docs', '/api/docs', '/x/v1/api/docs', '/v1/docs']) {
      const { status, body } = await request('GET', path);
      expect([path, status, body]).toEqual([path, 404, undefined]);
    }
    expect((await request('GET', '/v1/other')).text).toBe('other');
    expect((await request('HEAD', '/v1/api/docs/a')).status).toBe(200);
  });

  it('leaves OPTIONS to the app', async () => {
    const request = await ask(routed((router) => router.use('/v1', makeApi('/api').routes())));
    const { status, headers } = await request('OPTIONS', '/v1/api/docs');
    expect([status, headers.allow]).toEqual([200, withQuery('HEAD, GET, POST, PUT, PATCH, DELETE')]);
  });

  it('runs the middlewares of the router before it', async () => {
    const request = await ask(
      routed((router) =>
        router
          .use(async (ctx, next) => {
            ctx.set('x-router', 'yes');
            await next();
          })
          .use('/v1', makeApi('/api').routes()),
      ),
    );
    expect((await request('GET', '/v1/api/docs/none')).headers['x-router']).toBe('yes');
  });
});

describe('a proxy that takes its own path off', () => {
  const proxied = { 'x-forwarded-prefix': '/shop' };

  it.each([
    ['an app that trusts it', async () => ask(new Koa({ proxy: true }).use(makeApi('/api').routes()))],
    ['callback() of an api that trusts it', async () => askApi(makeApi('/api', { proxy: true }))],
  ])('is in Location, Link and the description of %s', async (_what, make) => {
    const request: Ask = await make();
    const created = await request('POST', '/api/docs', { body: { id: `proxied ${_what}` }, headers: proxied });
    expect(created.headers.location).toMatch(/^\/shop\/api\/docs\/proxied%20/);
    expect((await request('GET', '/api/docs', { headers: proxied })).headers.link).toMatch(/^<\/shop\/api\/docs\?/);
    const { body } = await request('GET', '/api/openapi.json', { headers: { 'x-forwarded-prefix': '/outer/shop/, /inner' } });
    expect(body.servers).toEqual([{ url: '/outer/shop' }]);
    for (const prefix of ['/one', '/two', '/one', '/two']) {
      const alternating = await request('GET', '/api/openapi.json', { headers: { 'x-forwarded-prefix': prefix } });
      expect(alternating.body.servers).toEqual([{ url: prefix }]);
    }
  });

  it.each(['//evil.example', 'https://evil.example', '/a//b', 'shop', '/a b', '/a\\b', '/'])(
    'is ignored where it is no plain path: %s',
    async (prefix) => {
      const request = await askApi(makeApi('/api', { proxy: true }));
      const { headers } = await request('GET', '/api/docs', { headers: { 'x-forwarded-prefix': prefix } });
      expect(headers.link).toMatch(/^<\/api\/docs\?/);
    },
  );

  it('is not believed unless the app says so', async () => {
    for (const request of [await ask(new Koa().use(makeApi('/api').routes())), await askApi(makeApi('/api'))]) {
      expect((await request('GET', '/api/docs', { headers: proxied })).headers.link).toMatch(/^<\/api\/docs\?/);
    }
  });
});

async function askApi(api: Api): Promise<Ask> {
  const port = await listen(api.callback());
  return (...given) => send(port, ...given);
}

describe('callback() in a Connect or Express app', () => {
  it('knows the path that the app was mounted at', async () => {
    const handle = makeApi('/api').callback();
    const port = await listen((request, response) => {
      Object.assign(request, { originalUrl: request.url, url: request.url?.replace('/mounted', '') }); // as `app.use('/mounted', …)` does
      void handle(request, response);
    });
    await expectAt('/mounted/api', (...given) => send(port, ...given), 'connect');
  });
});
