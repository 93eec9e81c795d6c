import { EventEmitter, once } from 'node:events';
import Router from '@koa/router';
import Koa from 'koa';
import mount from 'koa-mount';
import { type Api, defineModel, type Resource, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useListener } from '../support/http/listen.ts';
import { type Answer, type Sent, send, useServer } from '../support/http/serve.ts';
import { withQuery } from '../support/http/with-query.ts';

const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    id: t.string({ policy: { insert: true, filter: true } }),
    tagIds: t.array(t.ref('Tag', { id: t.string(), as: 'tags' }), { default: [] }),
    note: t.string({ default: '' }),
  },
});
const Tag = defineModel('Tag', { collection: 'tags', fields: { id: t.string({ policy: { insert: true } }) } });

const database = useDatabase();
const listen = useListener();
const serve = useServer();

interface Made {
  readonly api: Api<never>;
  readonly orders: Resource<never>;
  readonly tags: Resource<never>;
  readonly observed: string[];
}

function make(): Made {
  const shop = service();
  const observed: string[] = [];
  const orders = shop.resource({
    model: Order,
    ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
    links: ['tags'],
    operations: {
      overdue: { method: 'GET', path: '/overdue', handler: (ctx) => ({ params: ctx.params }) },
      line: { method: 'GET', path: '/:id/lines/:line', handler: (ctx) => ({ params: ctx.params }) },
    },
  });
  const tags = shop.resource({ model: Tag });
  const api = shop.api({
    db: database.db,
    prefix: '/api',
    batch: true,
    requestIds: true,
    observe: ({ resource, operation }) => void observed.push(`${resource}.${operation}`),
    resources: [tags, orders],
  });
  return { api, orders, tags, observed };
}

beforeAll(async () => {
  await database.db.collection<{ _id: string; tagIds?: string[]; note?: string }>('orders').insertMany([
    { _id: 'a', tagIds: [], note: '' },
    { _id: 'query', tagIds: [], note: '' },
    { _id: 'x/ü', tagIds: [], note: '' },
  ]);
  await database.db.collection<{ _id: string }>('tags').insertMany([{ _id: 'red' }]);
});

type Ask = (method: string, path: string, sent?: Sent) => Promise<Pick<Answer, 'status' | 'headers' | 'body'>>;

async function asking(handle: Parameters<typeof listen>[0], base = ''): Promise<Ask> {
  const port = await listen(handle);
  return (method, path, sent) => send(port, method, base + path, sent);
}

const asMiddleware = (router: Router) => router.routes() as unknown as Koa.Middleware;

function routed(build: (router: Router) => void): Koa {
  const router = new Router();
  build(router);
  const app = new Koa();
  app.use(router.routes()).use(router.allowedMethods());
  return app;
}

async function fetching({ api }: Made): Promise<Ask> {
  return async function ask(method, path, { body } = {}) {
    const sent = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await api.fetch(new Request(`http://in-process${path}`, { method, ...sent }));
    const text = await response.text();
    return { status: response.status, headers: Object.fromEntries(response.headers), body: text === '' ? undefined : JSON.parse(text) };
  };
}

/** Wherever all requests below a resource are answered by the api. */
const whole: [string, (made: Made) => Promise<Ask>][] = [
  ['routes()', ({ api }) => asking(new Koa().use(api.routes()).callback())],
  ['callback()', ({ api }) => asking(api.callback())],
  ['fetch()', fetching],
  ['routes(orders)', ({ api, orders }) => asking(new Koa().use(api.routes(orders)).callback())],
  ['routes() in a router', ({ api }) => asking(routed((router) => router.use('/v1', api.routes())).callback(), '/v1')],
  ['routes(orders) in a router', ({ api, orders }) => asking(routed((router) => router.use('/v1', api.routes(orders))).callback(), '/v1')],
  [
    'routes(orders) below a parameter',
    ({ api, orders }) => asking(routed((router) => router.use('/t/:path', api.routes(orders))).callback(), '/t/acme'),
  ],
  ['routes(orders) in koa-mount', ({ api, orders }) => asking(new Koa().use(mount('/m', api.routes(orders))).callback(), '/m')],
];

/** Wherever the router of the app finds the operation. */
const found: [string, (made: Made) => Promise<Ask>][] = [
  ['router(orders)', ({ api, orders }) => asking(new Koa().use(api.router(orders).routes()).callback())],
  [
    'router(orders) in a router',
    ({ api, orders }) => asking(routed((router) => router.use('/v1', api.router(orders).routes())).callback(), '/v1'),
  ],
  [
    'router(orders) below a parameter',
    ({ api, orders }) => asking(routed((router) => router.use('/t/:path', api.router(orders).routes())).callback(), '/t/acme'),
  ],
  [
    'router(orders) in koa-mount',
    ({ api, orders }) => asking(new Koa().use(mount('/m', asMiddleware(api.router(orders)))).callback(), '/m'),
  ],
];

describe.each([...whole, ...found])('%s', (_name, open) => {
  it('runs one operation for a path and a method', async () => {
    const made = make();
    const ask = await open(made);
    const own = async (path: string) => (await ask('GET', `/api/orders${path}`)).body.data;
    const mounted = (await own('/overdue')).params;
    expect([{}, { path: 'acme' }]).toContainEqual(mounted);
    expect((await own('/a%20%2Fb/lines/%2541')).params).toEqual({ ...mounted, id: 'a /b', line: '%41' });
    expect((await own('/x%2F%C3%BC')).id).toBe('x/ü');
    expect((await own('/query')).id).toBe('query');
    expect((await own('/%6Fverdue')).params).toBeDefined();
    expect((await ask('POST', '/api/orders/query', { body: { id: 'a' } })).body.data).toEqual([expect.objectContaining({ id: 'a' })]);
    expect((await ask('HEAD', '/api/orders/a')).status).toBe(200);
    expect((await ask('PUT', '/api/orders/a/tags/red')).status).toBe(204);
    expect(new Set(made.observed)).toEqual(new Set(['orders.overdue', 'orders.line', 'orders.get', 'orders.list', 'orders.tags.add']));
  });

  it('refuses what the pattern of the path does not have, with all of its methods', async () => {
    const ask = await open(make());
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const { status, headers } = await ask(method, '/api/orders/overdue', { body: {} });
      expect([method, status, headers.allow]).toEqual([method, 405, 'GET, HEAD']);
    }
  });

  it('is within what the api has around each of its operations', async () => {
    const made = make();
    const ask = await open(made);
    const missing = await ask('GET', '/api/orders/none');
    expect([missing.status, missing.body.code, missing.headers['x-request-id']]).toEqual([404, 'not_found', missing.body.request_id]);
    expect(missing.headers['x-content-type-options']).toBe('nosniff');
    expect(made.observed).toEqual(['orders.get']);
  });

  it('answers 404 where a path is not percent-encoded UTF-8', async () => {
    const ask = await open(make());
    for (const path of ['/%FF', '/%', '/a/lines/%zz']) expect((await ask('GET', `/api/orders${path}`)).status).toBe(404);
  });
});

describe.each(whole)('%s', (_name, open) => {
  it.each([
    ['POST', '/orders/a', 405, 'GET, HEAD, PATCH, PUT, DELETE'],
    ['PATCH', '/orders/a/tags/red', 405, 'PUT, DELETE'],
    ['GET', '/orders/a/tags/aggregate', 405, 'PUT, DELETE'],
    ['GET', '/orders/a/aggregate', 404, undefined],
    ['DELETE', '/orders', 405, withQuery('GET, HEAD, POST')],
    ['GET', '/orders/', 404, undefined],
    ['GET', '/orders//lines/1', 404, undefined],
    ['GET', '/orders/a/', 404, undefined],
    ['GET', '/orders/a/nothing', 404, undefined],
  ])('answers %s %s with %s', async (method, path, status, allow) => {
    const answer = await (await open(make()))(method, `/api${path}`);
    expect([answer.status, answer.headers.allow, answer.body.code]).toEqual([
      status,
      allow,
      status === 404 ? 'not_found' : 'method_not_allowed',
    ]);
  });
});

describe('OPTIONS', () => {
  it.each([
    ['/orders/query', 'POST, GET, HEAD, PATCH, PUT, DELETE, OPTIONS', 'application/json'],
    ['/orders/overdue', 'GET, HEAD, OPTIONS', undefined],
  ])('of %s allows what a 405 there does', async (path, allow, accept) => {
    const ask = await asking(make().api.callback(), '/api');
    const { status, headers } = await ask('OPTIONS', path);
    expect([status, headers.allow, headers.accept]).toEqual([204, allow, accept]);
    expect((await ask('TRACE', path)).headers.allow).toBe(allow.replace(', OPTIONS', ''));
  });
});

describe('routes(resource)', () => {
  it('goes on for all else: other resources, and what the api serves beside them', async () => {
    const { api, orders, tags } = make();
    const app = await serve(api.routes(orders), (ctx) => {
      ctx.status = 299;
    });
    for (const path of ['/api/tags', '/api', '/api/openapi.json', '/api/batch', '/api/ordersx', '/orders', '/api/none']) {
      expect([path, (await app.request('GET', path)).status]).toEqual([path, 299]);
    }
    expect((await app.request('OPTIONS', '/api/orders')).status).toBe(299);
    const both = await serve(api.routes(tags), api.routes(orders));
    expect((await both.request('GET', '/api/tags/red')).status).toBe(200);
    expect((await both.request('GET', '/api/orders/a')).status).toBe(200);
  });

  it('and routes() of the same api carry a request out once', async () => {
    const { api, orders, observed } = make();
    const app = await serve(api.routes(orders), asMiddleware(api.router(orders)), api.routes());
    expect((await app.request('POST', '/api/orders', { body: { id: 'once' } })).status).toBe(201);
    expect(observed).toEqual(['orders.create']);
  });
});

describe('routes(resource)', () => {
  it('puts what stands around a resource around nothing else of the app', async () => {
    const { api, orders } = make();
    const guarded: string[] = [];
    const router = new Router();
    router.use((ctx, next) => {
      guarded.push(ctx.path);
      return next();
    }, api.routes(orders) as never);
    const app = await serve(router.routes() as unknown as Koa.Middleware, (ctx) => {
      ctx.status = 299;
    });
    expect((await app.request('GET', '/public')).status).toBe(299);
    expect((await app.request('GET', '/api/orders/a')).status).toBe(200);
    expect(guarded).toEqual(['/api/orders/a']);
  });

  it('lets an api answer what another one has not found', async () => {
    const [first, second] = [make(), make()];
    const app = await serve(async (ctx: Koa.Context, next: Koa.Next) => {
      await first.api.routes(first.tags)(ctx, async () => undefined);
      if (ctx.status === 404) await second.api.routes()(ctx, next);
    });
    expect((await app.request('GET', '/api/tags/none')).status).toBe(404);
    expect((await app.request('GET', '/api/orders/a')).status).toBe(200);
    const twice = await serve(async (ctx: Koa.Context, next: Koa.Next) => {
      await first.api.routes()(ctx, async () => undefined);
      if (ctx.status === 404) ctx.path = '/api/orders/a';
      await first.api.routes()(ctx, next);
    });
    expect((await twice.request('GET', '/api/nothing')).status).toBe(200);
  });
});

describe('router(resource)', () => {
  it('has a route for each endpoint, with the name of its operation, its methods and its path', () => {
    const { api, orders } = make();
    const routes = api.router(orders).stack.filter(({ methods }) => methods.length > 0);
    expect(routes.map(({ name, methods, path }) => `${name}: ${methods.join(' ')} ${path}`)).toEqual(
      expect.arrayContaining(['list: HEAD GET /api/orders', 'overdue: HEAD GET /api/orders/overdue', 'put: PUT /api/orders/:id']),
    );
    expect(routes.filter(({ name, stack }) => stack.at(-1)?.name !== name)).toEqual([]);
    expect(api.router(orders).url('get', { id: 'a b' })).toBe('/api/orders/a%20b');
    expect(api.router(orders).url('line', 'a', '1')).toBe('/api/orders/a/lines/1');
  });

  it('leaves the routes of an app to it, which it does not have itself', async () => {
    const { api, orders } = make();
    const router = new Router();
    router.use(api.router(orders).routes());
    router.post('/api/orders/:id', (ctx) => {
      ctx.body = `posted ${ctx.params.id}`;
    });
    router.get('/api/orders/:id/pdf', (ctx) => {
      ctx.body = `pdf of ${ctx.params.id}`;
    });
    const app = await serve(router.routes() as unknown as Koa.Middleware);
    expect((await app.request('POST', '/api/orders/a')).text).toBe('posted a');
    expect((await app.request('GET', '/api/orders/a/pdf')).text).toBe('pdf of a');
    expect((await app.request('GET', '/api/orders/a')).body.data.id).toBe('a');
  });

  it('refuses functions of `param` for its own parameters, which would not run', () => {
    const { api, orders } = make();
    const check = () => undefined;
    const message = /A function of `param\('id'\)` would not run for the operations of `orders`: let a guard of the resource check it\./;
    expect(() => api.router(orders).param('id', check)).toThrow(message);
    const router = new Router();
    router.param('id', check);
    expect(() => router.use(api.router(orders).routes())).toThrow(message);
    expect(() => new Router().param('shop', check).use('/shops/:shop', api.router(orders).routes())).not.toThrow();
  });

  it('goes on for what it does not match, as every router does', async () => {
    const { api, orders } = make();
    const app = await serve(asMiddleware(api.router(orders)), (ctx) => {
      ctx.status = 299;
    });
    for (const path of ['/api/tags', '/api/orders/', '/api/orders/a/nothing']) {
      expect([path, (await app.request('GET', path)).status]).toEqual([path, 299]);
    }
    expect((await app.request('DELETE', '/api/orders')).status).toBe(299);
  });

  it('is a copy: a prefix that it gets changes nothing for the api', async () => {
    const { api, orders } = make();
    const router = api.router(orders).prefix('/shop');
    const app = await serve(asMiddleware(router), api.routes());
    for (const path of ['/shop/api/orders/a', '/api/orders/a']) expect((await app.request('GET', path)).status).toBe(200);
  });

  it('is waited for by close()', async () => {
    const seen = new EventEmitter();
    const ends: string[] = [];
    async function wait(): Promise<void> {
      seen.emit('begun');
      await once(seen, 'open');
      ends.push('answered');
    }
    const shop = service();
    const orders = shop.resource({ model: Order, operations: { wait: { method: 'GET', path: '/wait', handler: wait } } });
    const api = shop.api({ db: database.db, resources: [orders] });
    const app = await serve(asMiddleware(api.router(orders)));
    const begun = once(seen, 'begun');
    const answer = app.request('GET', '/orders/wait');
    await begun;
    const closed = api.close().then(() => ends.push('closed'));
    setImmediate(() => seen.emit('open'));
    await closed;
    expect(ends).toEqual(['answered', 'closed']);
    expect((await answer).status).toBe(204);
  });

  it('does not run an operation without what is around it, in a router that leaves it out', async () => {
    const { api, orders, observed } = make();
    const outer = new Router({ exclusive: true }).use(api.router(orders).routes());
    const app = await serve(asMiddleware(outer));
    expect((await app.request('GET', '/api/orders/a')).status).toBe(500);
    expect(app.errors.map(({ message }) => message)).toEqual([expect.stringContaining('`exclusive`')]);
    expect(observed).toEqual([]);
  });
});

describe('a resource that the api does not have', () => {
  it.each(['routes', 'router'] as const)('is a configuration error of %s()', (name) => {
    const { api } = make();
    for (const stranger of [make().orders, {}, null]) {
      expect(() => api[name](stranger as unknown as Resource<never>)).toThrow(
        `\`${name}\` takes what \`resource()\` has returned, of a resource of the api. This one has \`tags\`, \`orders\`.`,
      );
    }
  });
});
