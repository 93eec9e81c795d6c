import type Router from '@koa/router';
import { noSuchPath } from '../errors.ts';
import type { Context } from '../middleware/exchange/context.ts';
import type { KoaNext } from '../middleware/exchange/koa-context.ts';
import { ResourceRouter } from './resource-router.ts';
import type { Route, Way } from './route.ts';

/** Finds the operations of an api by the part of a path after its prefix. */
export interface Dispatch {
  /** Runs the operation of a request, or throws 404 or 405. */
  run(ctx: Context, path: string, next: KoaNext, way?: Way): Promise<void>;
  /** Whether it has found the operation of a request, which it carries out once. */
  hasRun(ctx: Context): boolean;
  /** The operation that answers a method at a path. */
  find(method: string, path: string): Route | undefined;
  /** The router of a resource, by its path. */
  routerOf(resource: string): Router | undefined;
}

/**
 * Makes a router for each resource, when its first request comes. The first segment of a path is looked up in a map, so
 * that the cost does not grow with the number of resources: a router tries each of its routes.
 */
export function compileDispatch(table: ReadonlyMap<string, readonly Route[]>, prefix = ''): Dispatch {
  const routers = new Map<string, ResourceRouter>();
  const mark = Symbol('carried out'); // of this api: another one may have carried out a request, too
  function makeRouter(resource: string): ResourceRouter | undefined {
    const routes = table.get(resource);
    if (!routes) return undefined;
    const router = new ResourceRouter(resource, `${prefix}/${resource}`, routes, mark);
    routers.set(resource, router);
    return router;
  }
  const routerOf = (resource: string) => routers.get(resource) ?? makeRouter(resource);
  return {
    run(ctx, path, next, way = 'run') {
      const router = routerOf(firstSegment(path));
      if (!router) throw noSuchPath();
      return router.dispatch(ctx, prefix + path, next, way);
    },
    hasRun: (ctx) => ctx[mark] === true,
    find: (method, path) => routerOf(firstSegment(path))?.find(method, prefix + path),
    routerOf: (resource) => routerOf(resource)?.router,
  };
}

function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  return end === -1 ? path.slice(1) : path.slice(1, end);
}
