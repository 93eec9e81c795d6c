import Router from '@koa/router';
import type { Context, ResourceMiddleware } from '../middleware/exchange/context.ts';
import type { KoaContext, KoaMiddleware, KoaNext } from '../middleware/exchange/koa-context.ts';
import { queryMethods } from '../resource/define/endpoints.ts';
import type { Dispatch } from './dispatch.ts';
import type { Probes } from './health.ts';

/** The functions that answer the requests of an api. */
export interface Answering {
  /** Come first. */
  readonly probes: Probes;
  /** Runs around every operation of the api, and answers errors. */
  readonly around: ResourceMiddleware;
  readonly dispatch: Pick<Dispatch, 'run'>;
}

/** The same for an api that is mounted in an app, in one place or in several. */
interface Mounted extends Answering {
  readonly dispatch: Dispatch;
}

/** Answers a request by its path, from the prefix of the api on, or calls `next()`. */
type Answer = (ctx: Context, path: string, next: KoaNext) => Promise<unknown>;

/**
 * Creates the middleware for a Koa app. It answers all requests except OPTIONS below `root`: the prefix of the api, or
 * the path of one of its resources. For all others it calls `next()`.
 *
 * It can be mounted anywhere. `koa-mount` removes its own path from `ctx.path`. `@koa/router` does not change
 * `ctx.path`, but nests a middleware that has a `router`: two wildcards, because it copies all routes of that router.
 */
export function compileKoaAdapter(prefix: string, answering: Mounted, root: string): KoaMiddleware {
  const answer = compileAnswer(prefix, answering, root);
  const isWhole = root === prefix;
  const router = new Router({ strict: !isWhole });
  registerBelow(router, isWhole ? '' : root, methods, answer); // what is around one resource is not around the rest of the app
  function api(ctx: Context, next: KoaNext): Promise<unknown> {
    return answer(ctx, ctx.path, next);
  }
  return Object.assign(api as KoaMiddleware, { router });
}

/**
 * Creates the router of a resource for the router of an app. Its first two routes answer for the others, so that
 * everything that is around the operations of the api is around these, too. What no other one matches goes on.
 */
export function compileRouter(prefix: string, answering: Mounted, root: string, own: Router): Router {
  const router = new Router({ strict: true, sensitive: true });
  const answer = compileAnswer(prefix, answering, root);
  registerBelow(router, root, [], (ctx, path, next) => (own.match(path, ctx.method).route ? answer(ctx, path, next) : next()));
  return router.use(own.routes());
}

function compileAnswer(prefix: string, { probes, around, dispatch }: Mounted, root: string): Answer {
  return function answer(ctx, path, next) {
    if (belowPrefix(root, path) === undefined || ctx.method === 'OPTIONS' || dispatch.hasRun(ctx)) return next();
    const below = path.slice(prefix.length);
    const probe = probes.get(`${ctx.method} ${below}`);
    return probe ? probe(ctx, ended) : around(ctx, () => dispatch.run(ctx, below, next));
  };
}

/** The parameter of a wildcard below. No path of an app can have this name, and `ctx.params` does not get it. */
const tail = 'path below the mount';

/**
 * Registers what answers a path and everything below it. In a nested router, the last capture of the wildcard is the
 * path below the mount, whatever prefixes and parameters the outer routers have.
 */
function registerBelow(router: Router, root: string, methods: string[], answer: Answer): void {
  const register = (path: string, pathOf: (ctx: KoaContext) => string) =>
    router.register(path, methods, (ctx, next) => answer(ctx as unknown as Context, root + pathOf(ctx), next), {
      name: 'around',
      ignoreWildcardParameter: tail,
    });
  register(root || '/', () => '');
  if (root) register(`${root}/`, () => '/');
  register(`${root}/*"${tail}"`, ({ captures }) => `/${captures.at(-1)}`);
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
