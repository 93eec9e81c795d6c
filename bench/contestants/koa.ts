import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import type { Collection } from 'mongodb';
import getRawBody from 'raw-body';
import { listArticles } from '../articles.ts';
import type { StoredOrder } from '../data.ts';
import { type Answer, answer, authenticate, createOrder, getOrder, listOrders, patchOrder, Refusal } from './by-hand.ts';
import type { Contestant } from './contestant.ts';

/** Koa, its router, Ajv and the driver: what this library is to replace. */
export const koa: Contestant = {
  title: 'Koa + router + Ajv + driver, by hand',
  answersAlike: true,
  async create(db, { resources }) {
    const router = new Router({ prefix: '/api' });
    for (let other = 1; other < resources; other++) addRoutes(router, `/others-${other}`, db.collection(`others_${other}`));
    addRoutes(router, '/orders', db.collection('orders'));
    router.get('/articles', async (ctx) => {
      ctx.body = await listArticles(db.collection('articles'), ctx.state.owner, new URLSearchParams(ctx.querystring));
    });
    addGuarded(router, db.collection('orders'));
    const app = new Koa();
    app.use(async (ctx, next) => {
      const refused = await answer(async () => {
        ctx.state.owner = authenticate(ctx.get('Authorization'));
        await next();
        return { status: 0 };
      });
      if (refused.status > 0) send(ctx, refused);
    });
    app.use(router.routes()).use(router.allowedMethods());
    return app.callback();
  },
};

function addRoutes(router: Router, path: string, orders: Collection<StoredOrder>): void {
  router.get(path, (ctx) => listOrders(orders, ctx.state.owner, new URLSearchParams(ctx.querystring)).then((given) => send(ctx, given)));
  router.post(path, async (ctx) => send(ctx, await createOrder(orders, ctx.state.owner, await readJson(ctx))));
  router.get(`${path}/:id`, async (ctx) =>
    send(ctx, await getOrder(orders, ctx.state.owner, ctx.params.id ?? '', ctx.get('If-None-Match'))),
  );
  router.patch(`${path}/:id`, async (ctx) =>
    send(ctx, await patchOrder(orders, ctx.state.owner, ctx.params.id ?? '', await readJson(ctx), ctx.get('If-Match') || undefined)),
  );
}

/** The same patch with two guards before it and a hook behind it. */
function addGuarded(router: Router, orders: Collection<StoredOrder>): void {
  const last = { number: '' };
  const isKnown = ({ state }: Context) => state.owner.length < 100;
  const mayWrite = async ({ state }: Context) => state.owner !== 'reader';
  const note = ({ number }: { readonly number: string }) => {
    last.number = number;
  };
  router.patch('/guarded/:id', async (ctx) => {
    if (!isKnown(ctx) || !(await mayWrite(ctx))) throw new Refusal(403, 'Forbidden');
    const given = await patchOrder(orders, ctx.state.owner, ctx.params.id ?? '', await readJson(ctx), ctx.get('If-Match') || undefined);
    note((given.body as { data: { number: string } }).data);
    send(ctx, given);
  });
}

async function readJson(ctx: Context): Promise<unknown> {
  return JSON.parse(await getRawBody(ctx.req, { length: ctx.request.length ?? null, limit: '1mb', encoding: 'utf8' }));
}

function send(ctx: Context, { status, body, headers }: Answer): void {
  ctx.status = status;
  if (headers) ctx.set({ ...headers });
  if (body !== undefined) ctx.body = body;
}
