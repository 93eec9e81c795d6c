import Router from '@koa/router';
import type Koa from 'koa';
import { Problem } from '../errors.ts';
import type { Context, ResourceMiddleware } from '../middleware/context.ts';
import type { Place } from './standard-places.ts';

/** One operation's place, and what runs there. */
export interface Route extends Place {
  /** The name of the operation. */
  readonly name: string;
  readonly run: ResourceMiddleware;
}

/** Runs the operation that a request addresses, or throws 404 or 405. `path` is what follows the api's prefix. */
export type Dispatch = (ctx: Context, path: string, next: Koa.Next) => Promise<void>;

interface Table {
  readonly router: Router;
  /** By path pattern, then by method. */
  readonly methods: ReadonlyMap<string, ReadonlyMap<string, Route>>;
}

/**
 * Compiles the routes of all resources. The first path segment finds the resource in a map, so that dispatch costs the same with one
 * resource and with a hundred; only its own few patterns are then matched. A literal path goes before a parameter.
 */
export function compileDispatch(routes: ReadonlyMap<string, readonly Route[]>): Dispatch {
  const tables = new Map([...routes].map(([segment, own]) => [segment, compileTable(own)]));
  return function dispatch(ctx, path, next) {
    const end = path.indexOf('/', 1);
    const segment = end === -1 ? path.slice(1) : path.slice(1, end);
    const table = tables.get(segment);
    if (!table) throw noSuchPath();
    const rest = end === -1 ? '' : path.slice(end);
    return findRun(table, ctx, segment, rest)(ctx, next);
  };
}

function compileTable(routes: readonly Route[]): Table {
  const router = new Router({ strict: true, sensitive: true });
  const methods = new Map<string, Map<string, Route>>();
  for (const route of [...routes].sort(literalFirst)) {
    const known = methods.get(route.path) ?? new Map<string, Route>();
    methods.set(route.path, known.set(route.method, route));
  }
  // The router matches paths; which method runs what stands in our table, so that 405 can say what is allowed.
  for (const path of methods.keys()) router.all(path, () => undefined);
  return { router, methods };
}

/** The first segment in which two paths differ decides: `/overdue` goes before `/:id`, `/:id/lines/last` before `/:id/:part/last`. */
function literalFirst(a: Place, b: Place): number {
  const [first, second] = [a.path.split('/'), b.path.split('/')];
  const at = first.findIndex((segment, index) => segment !== second[index]);
  return Number(first[at]?.startsWith(':') ?? false) - Number(second[at]?.startsWith(':') ?? false);
}

function findRun({ router, methods }: Table, ctx: Context, resource: string, path: string): ResourceMiddleware {
  const [layer] = router.match(path === '' ? '/' : path, ctx.method).path;
  const byMethod = layer && path !== '/' ? methods.get(String(layer.path)) : undefined;
  if (!layer || !byMethod) throw noSuchPath();
  const route = byMethod.get(ctx.method === 'HEAD' ? 'GET' : ctx.method);
  const allowed = [...byMethod.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  if (ctx.method === 'OPTIONS') return allowMethods([...allowed, 'OPTIONS']);
  if (!route) throw methodNotAllowed(allowed);
  ctx.operation = { resource, name: route.name };
  ctx.params = layer.params(path, layer.captures(path), ctx.params as Record<string, string> | undefined); // those of a mount stay
  return route.run;
}

/** Answers OPTIONS (RFC 9110 §9.3.7). It is asked of the route, so that nobody has to say who they are. */
function allowMethods(allowed: readonly string[]): ResourceMiddleware {
  return async function allowMethods(ctx) {
    ctx.status = 204;
    ctx.set('Allow', allowed.join(', '));
  };
}

/** 404 for a path that addresses nothing. */
export function noSuchPath(): Problem {
  return new Problem('not_found', 'There is nothing at this path.');
}

function methodNotAllowed(allowed: readonly string[]): Problem {
  return new Problem('method_not_allowed', `Allowed here: ${allowed.join(', ')}.`, { headers: { allow: allowed.join(', ') } });
}
