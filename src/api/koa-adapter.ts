import Router from '@koa/router';
import type Koa from 'koa';
import type { Context, ResourceMiddleware } from '../middleware/exchange/context.ts';
import { queryMethods } from '../resource/define/endpoints.ts';
import type { Dispatch } from './dispatch.ts';
import type { Probes } from './health.ts';

/** The functions that answer the requests of an api. */
export interface Answering {
  /** Come first. */
  readonly probes: Probes;
  /** Runs around every operation of the api, and answers errors. */
  readonly around: ResourceMiddleware;
  readonly dispatch: Dispatch;
}

/**
 * Creates the middleware for a Koa app. Below its prefix it answers all requests except OPTIONS. For all others it
 * calls `next()`.
 *
 * It can be mounted anywhere. `koa-mount` removes its own path from `ctx.path`. `@koa/router` does not change
 * `ctx.path`, but nests a middleware that has a `router`: the last capture of the wildcard below is then the path below
 * the mount, whatever prefixes and parameters the outer routers have.
 */
export function compileKoaAdapter(prefix: string, { probes, around, dispatch }: Answering): Koa.Middleware {
  function answer(ctx: Context, path: string, next: Koa.Next): Promise<unknown> {
    const below = belowPrefix(prefix, path);
    if (below === undefined || ctx.method === 'OPTIONS') return next();
    const probe = probes.get(`${ctx.method} ${below}`);
    return probe ? probe(ctx, ended) : around(ctx, () => dispatch(ctx, below, next));
  }
  const router = new Router();
  router.register('/', methods, (ctx, next) => answer(ctx as unknown as Context, '', next));
  router.register('/*path', methods, (ctx, next) => answer(ctx as unknown as Context, `/${ctx.captures?.at(-1)}`, next));
  function api(ctx: Context, next: Koa.Next): Promise<unknown> {
    return answer(ctx, ctx.path, next);
  }
  return Object.assign(api, { router });
}

async function ended(): Promise<void> {}

// The methods that operations have. The app of the router answers all others, as it does for its own routes.
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', ...queryMethods];

/** The part of a path after the prefix; undefined if the path is outside it. `/apis` is outside the prefix `/api`. */
export function belowPrefix(prefix: string, path: string): string | undefined {
  if (!path.startsWith(prefix)) return undefined;
  const below = path.slice(prefix.length);
  return below === '' || below.startsWith('/') ? below : undefined;
}
