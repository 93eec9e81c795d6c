import Router from '@koa/router';
import type Koa from 'koa';
import { type Api, defineModel, type Resource, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useServer } from '../support/http/serve.ts';

const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    id: t.string({ policy: { insert: true } }),
    tagIds: t.array(t.ref('Tag', { id: t.string(), as: 'tags' }), { default: [] }),
    note: t.string({ default: '' }),
  },
});
const Tag = defineModel('Tag', { collection: 'tags', fields: { id: t.string({ policy: { insert: true } }) } });

const database = useDatabase();
const serve = useServer();
let guarded = 0;

interface Made {
  readonly api: Api<never>;
  readonly orders: Resource<never>;
}

function make(): Made {
  const shop = service();
  const orders = shop.resource({
    model: Order,
    links: ['tags'],
    guards: [() => ++guarded > 0],
    operations: {
      overdue: { method: 'GET', path: '/overdue', handler: (ctx) => ({ params: ctx.params }) },
      line: { method: 'GET', path: '/:id/lines/:line', handler: (ctx) => ({ params: ctx.params }) },
    },
  });
  const api = shop.api({ db: database.db, prefix: '/api', batch: true, resources: [orders, shop.resource({ model: Tag })] });
  return { api, orders };
}

beforeAll(async () => {
  await database.db.collection<{ _id: string; note: string }>('orders').insertOne({ _id: 'a', note: '' });
});

const asMiddleware = (router: Router) => router.routes() as unknown as Koa.Middleware;

describe('a parameter of the mount', () => {
  /** Whatever is mounted at a path. */
  const ways: [string, (made: Made) => Koa.Middleware][] = [
    ['routes()', ({ api }) => api.routes()],
    ['routes(orders)', ({ api, orders }) => api.routes(orders)],
    ['router(orders)', ({ api, orders }) => asMiddleware(api.router(orders))],
  ];

  const names: [string, string, string, string][] = [
    ['id', 'GET', '/a', '/api/orders/:id'],
    ['other', 'PUT', '/a/tags/red', '/api/orders/:id/tags/:other'],
    ['line', 'GET', '/a/lines/1', '/api/orders/:id/lines/:line'],
  ];

  it.each(ways.flatMap(([way, open]) => names.map(([name, method, path, template]) => ({ way, open, name, method, path, template }))))(
    'that is called :$name, as one of the path, is a 500 of $way that names both',
    async ({ open, name, method, path, template }) => {
      const app = await serve(asMiddleware(new Router().use(`/t/:${name}`, open(make()))));
      guarded = 0;
      const { status, body } = await app.request(method, `/t/b/api/orders${path}`);
      expect([status, body]).toEqual([500, expect.objectContaining({ title: 'Internal Server Error', status: 500 })]);
      expect(app.errors.map(({ message }) => message)).toEqual([
        expect.stringMatching(new RegExp(`parameter \`:${name}\`.*\`${template}\``)),
      ]);
      expect(guarded).toBe(0);
      expect((await app.request('GET', '/t/b/api/orders/overdue')).body.data.params).toEqual({ [name]: 'b' });
    },
  );

  it.each(ways)('is 500 in a router around the router of the app, too: %s', async (_way, open) => {
    const inner = new Router().use('/t/:shop', open(make()));
    const outer = new Router().all('/t/:id/{*rest}', inner.routes());
    const app = await serve(asMiddleware(outer));
    expect((await app.request('GET', '/t/b/api/orders/a')).status).toBe(500);
    expect(app.errors.map(({ message }) => message)).toEqual([expect.stringContaining('`:id`')]);
  });

  it('is 500 for the operation of a batch, too, which writes nothing', async () => {
    const { api } = make();
    const app = await serve(asMiddleware(new Router().use('/t/:id', api.routes())));
    const sent = { body: { operations: [{ method: 'PATCH', path: '/orders/a', body: { note: 'x' } }] } };
    const { status, body } = await app.request('POST', '/t/b/api/batch', sent);
    expect([status, body.operation]).toEqual([500, 0]);
    expect(app.errors.map(({ message }) => message)).toEqual([expect.stringContaining('`:id`')]);
    expect(await database.db.collection<{ _id: string }>('orders').findOne({ _id: 'a' })).toEqual(expect.objectContaining({ note: '' }));
  });

  it.each(ways)('may have any other name, such as :path, and none is added to it: %s', async (_way, open) => {
    const app = await serve(asMiddleware(new Router().use('/t/:path', open(make()))));
    expect((await app.request('GET', '/t/b%2Fc/api/orders/a/lines/1')).body.data.params).toEqual({ path: 'b/c', id: 'a', line: '1' });
  });
});

describe('a parameter of a middleware of the app for the same record', () => {
  it.each<[string, (made: Made) => Koa.Middleware]>([
    [
      'in the same router',
      ({ api }) => asMiddleware(new Router().use('/api/orders/:id', (_ctx, next) => next()).use(api.routes() as never)),
    ],
    [
      'in another router',
      ({ api }) => {
        const above = asMiddleware(new Router().get('/api/orders/:id', (_ctx, next) => next()));
        return (ctx, next) => above(ctx, () => api.routes()(ctx, next));
      },
    ],
  ])('has the same value, and changes nothing: %s', async (_where, mounted) => {
    const app = await serve(mounted(make()));
    expect((await app.request('GET', '/api/orders/a')).status).toBe(200);
  });
});
