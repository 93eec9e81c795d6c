import Router from '@koa/router';
import type Koa from 'koa';
import type { Context, ResourceMiddleware } from '../middleware/parts/context.ts';
import type { Dispatch } from './dispatch.ts';
import type { AnswerProbe } from './health.ts';

/** What an api answers requests with. */
export interface Answering {
  /** Before all else. */
  readonly answerProbe: AnswerProbe;
  /** What stands before every operation of the api, and answers its errors. */
  readonly around: ResourceMiddleware;
  readonly dispatch: Dispatch;
}

/**
 * The api as a middleware of somebody's Koa app. Below its prefix it answers everything but OPTIONS; outside, and for OPTIONS, it calls
 * `next()`: those belong to the app.
 *
 * It can be mounted anywhere. `koa-mount` takes its own path off `ctx.path`. `@koa/router` leaves `ctx.path` whole and asks a middleware
 * for its `router`: what the wildcard of that one's route captures last is the path below the mount, whatever parameters and prefixes the
 * routers above it have.
 */
export function compileKoaAdapter(prefix: string, { answerProbe, around, dispatch }: Answering): Koa.Middleware {
  function answer(ctx: Context, path: string, next: Koa.Next): Promise<unknown> {
    const below = belowPrefix(prefix, path);
    if (below === undefined || ctx.method === 'OPTIONS') return next();
    return answerProbe(ctx, below) ?? around(ctx, () => dispatch(ctx, below, next));
  }
  const router = new Router();
  router.register('/', methods, (ctx, next) => answer(ctx as unknown as Context, '', next));
  router.register('/*path', methods, (ctx, next) => answer(ctx as unknown as Context, `/${ctx.captures?.at(-1)}`, next));
  async function api(ctx: Context, next: Koa.Next): Promise<void> {
    await answer(ctx, ctx.path, next);
  }
  return Object.assign(api, { router });
}

// Those that operations have. The router's app answers the others, as it does for its own routes.
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What follows the prefix in a path; undefined outside it. A prefix ends at the end of a segment: `/api` is not a part of `/apis`. */
export function belowPrefix(prefix: string, path: string): string | undefined {
  if (!path.startsWith(prefix)) return undefined;
  const below = path.slice(prefix.length);
  return below === '' || below.startsWith('/') ? below : undefined;
}
