import type Koa from 'koa';
import { noSuchPath, Problem } from '../errors.ts';
import { jsonType, patchTypes } from '../http/media-type.ts';
import type { Context, ResourceMiddleware } from '../middleware/exchange/context.ts';
import { workOf } from '../middleware/exchange/exchange.ts';
import type { Endpoint } from '../resource/define/endpoints.ts';

/** The method and path of an operation, and the middleware that runs there. */
export interface Route extends Endpoint {
  /** The name of the operation, in `ctx.operation`. */
  readonly name: string;
  readonly run: ResourceMiddleware;
  /** Whether the path may also be that of a record, for other methods. */
  readonly sharesPath?: boolean;
  /** Whether it reads a JSON body. */
  readonly readsJson?: boolean;
  /** How long the database may work for it, in milliseconds. Undefined if its first command decides. */
  readonly maxTimeMS?: number;
}

/**
 * Runs the operation of a request, or throws 404 or 405. `path` is the part of the path after the prefix of the api.
 */
export type Dispatch = (ctx: Context, path: string, next: Koa.Next) => Promise<void>;

/** A route, and the path that it has in the whole api, as a template. */
type Served = Route & { readonly template: string };

/** The operations of one path pattern, by method. */
interface Methods {
  readonly routes: ReadonlyMap<string, Served>;
  /** The methods that a 405 names. */
  readonly allowed: readonly string[];
  /** Whether the path is only one for these methods. */
  readonly isShared: boolean;
}

/**
 * Compiles the routes of all resources. The first path segment is looked up in a map, so that the cost does not grow
 * with the number of resources; then only the few patterns of that resource are matched. A literal path wins over a
 * parameter for every method: `Allow` of a 405 has the methods of the pattern that matches. A path of the library's own
 * is none for other methods, because it may also be the id of a record.
 */
export function compileDispatch(routes: ReadonlyMap<string, readonly Route[]>, prefix = ''): Dispatch {
  const resources = new Map(
    [...routes].map(([segment, own]) => [segment, compilePaths(byPattern(own, `${prefix}/${segment}`), isOfOther)]),
  );
  return function dispatch(ctx, path, next) {
    const [resource = '', ...rest] = segmentsOf(path);
    const found = resources.get(resource)?.(rest, ctx.method);
    if (!found) throw noSuchPath();
    return findRun(found, ctx, resource)(ctx, next);
  };
}

function byPattern(own: readonly Route[], root: string): Map<string, Methods> {
  const patterns = new Map<string, Map<string, Served>>();
  for (const route of own) {
    const template = route.path === '/' ? root : root + route.path;
    const routes = patterns.get(route.path) ?? new Map<string, Served>();
    patterns.set(route.path, routes.set(route.method, Object.assign({ template }, route)));
  }
  return new Map(Array.from(patterns, ([path, routes]) => [path, methodsOf(routes)]));
}

function methodsOf(routes: ReadonlyMap<string, Served>): Methods {
  const allowed = [...routes.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return { routes, allowed, isShared: [...routes.values()].every(({ sharesPath }) => sharesPath) };
}

function isOfOther({ isShared, routes }: Methods, method: string): boolean {
  return isShared && method !== 'OPTIONS' && !routes.has(method === 'HEAD' ? 'GET' : method);
}

function findRun({ target: { routes, allowed }, params }: Found<Methods>, ctx: Context, resource: string): ResourceMiddleware {
  if (ctx.method === 'OPTIONS') return describeOptions([...allowed, 'OPTIONS'], routes);
  const route = routes.get(ctx.method === 'HEAD' ? 'GET' : ctx.method);
  if (!route) throw methodNotAllowed(allowed);
  ctx.operation = { resource, name: route.name, route: route.template };
  ctx.params = ctx.params ? withMount(ctx.params, params) : params;
  if (route.maxTimeMS !== undefined) workOf(ctx).limitTo(route.maxTimeMS);
  return route.run;
}

/** Parameters of a mount stay, except `id`, which is the id of a record. */
function withMount({ id: _, ...ofMount }: Record<string, string>, params: Found<Methods>['params']): Record<string, string> {
  return { ...ofMount, ...params };
}

/**
 * Answers OPTIONS (RFC 9110 §9.3.7, RFC 5789 §3.1) before the chain of an operation, so that no credentials are needed.
 */
function describeOptions(allowed: readonly string[], routes: Methods['routes']): ResourceMiddleware {
  return async function describeOptions(ctx) {
    ctx.status = 204;
    ctx.set('Allow', allowed.join(', '));
    if ([...routes.values()].some(({ readsJson }) => readsJson)) ctx.set('Accept', jsonType);
    if (routes.get('PATCH')?.readsJson) ctx.set('Accept-Patch', patchTypes);
    if (routes.has('QUERY')) ctx.set('Accept-Query', jsonType);
  };
}

function methodNotAllowed(allowed: readonly string[]): Problem {
  return new Problem({
    code: 'method_not_allowed',
    detail: `Allowed here: ${allowed.join(', ')}.`,
    headers: { allow: allowed.join(', ') },
  });
}

/** The target of a path, and the values of its parameters. */
interface Found<Target> {
  readonly target: Target;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the target of a path, given by its percent-encoded segments. */
type FindPath<Target> = (segments: readonly string[], method?: string) => Found<Target> | undefined;

/** Whether a target does not count for a method. */
type IsPassed<Target> = (target: Target, method: string) => boolean;

const none = () => false;

interface Branch<Target> {
  readonly literals: Map<string, Branch<Target>>;
  parameter?: Branch<Target>;
  /** Set if a pattern ends here. */
  end?: { readonly target: Target; readonly names: readonly { readonly name: string; readonly at: number }[] };
}

/**
 * Compiles patterns such as `/:id/lines/:line` into a tree of their segments. If several patterns match, the first
 * segment in which they differ decides, and there a literal wins over a parameter: `/:id/lines/last` over
 * `/:id/:part/last`. If a branch has no match, the others are tried. Segments are compared decoded (RFC 3986 §6.2.2.2),
 * so that `/%6Fverdue` is `/overdue`. Paths with an empty segment, or with one that is not percent-encoded UTF-8, match
 * nothing: as raw text, a parameter value would have a second path. A target that `isPassed` is tried last.
 */
export function compilePaths<Target>(patterns: ReadonlyMap<string, Target>, isPassed: IsPassed<Target> = none): FindPath<Target> {
  const root = branch<Target>();
  for (const [pattern, target] of patterns) {
    const segments = segmentsOf(pattern);
    const names = segments.flatMap((segment, at) => (segment.startsWith(':') ? [{ name: segment.slice(1), at }] : []));
    segments.reduce(grow, root).end ??= { target, names };
  }
  return function find(encoded, method = '') {
    const segments = decodeAll(encoded);
    if (!segments || segments.includes('')) return undefined;
    const end = walk(root, segments, 0, method, isPassed) ?? (isPassed === none ? undefined : walk(root, segments, 0, method, none));
    if (!end) return undefined;
    return { target: end.target, params: paramsOf(end.names, segments) };
  };
}

function paramsOf(names: readonly { readonly name: string; readonly at: number }[], segments: readonly string[]): Record<string, string> {
  const [first] = names;
  if (first?.name === 'id' && names.length === 1) return { id: segments[first.at] as string }; // most paths
  return Object.fromEntries(names.map(({ name, at }) => [name, segments[at] as string]));
}

/** The segments of a path; `/` and the empty path have none. */
export function segmentsOf(path: string): string[] {
  return path === '' || path === '/' ? [] : path.slice(1).split('/');
}

function branch<Target>(): Branch<Target> {
  return { literals: new Map() };
}

function grow<Target>(from: Branch<Target>, segment: string): Branch<Target> {
  if (segment.startsWith(':')) {
    from.parameter ??= branch();
    return from.parameter;
  }
  const next = from.literals.get(segment) ?? branch<Target>();
  from.literals.set(segment, next);
  return next;
}

function walk<Target>(
  from: Branch<Target>,
  segments: readonly string[],
  at: number,
  method: string,
  isPassed: IsPassed<Target>,
): Branch<Target>['end'] {
  const segment = segments[at];
  if (segment === undefined) return from.end && !isPassed(from.end.target, method) ? from.end : undefined;
  const literal = from.literals.get(segment);
  return (
    (literal && walk(literal, segments, at + 1, method, isPassed)) ??
    (from.parameter && walk(from.parameter, segments, at + 1, method, isPassed))
  );
}

/** Without a percent sign there is nothing to decode. */
function decodeSegment(segment: string): string {
  return segment.includes('%') ? decodeURIComponent(segment) : segment;
}

function decodeAll(segments: readonly string[]): string[] | undefined {
  try {
    return segments.map(decodeSegment);
  } catch {
    return undefined;
  }
}
