import Router from '@koa/router';
import { ConfigurationError, noSuchPath } from '../errors.ts';
import type { Context } from '../middleware/exchange/context.ts';
import { workOf } from '../middleware/exchange/exchange.ts';
import type { KoaNext } from '../middleware/exchange/koa-context.ts';
import { named } from '../middleware/exchange/step.ts';
import { describeOptions, methodNotAllowed } from './path-methods.ts';
import type { Route, Way } from './route.ts';

type Layer = Router['stack'][number];
type Operation = NonNullable<Context['operation']>;

/** The routes of one pattern such as `/:id/lines`, by method. */
interface Pattern {
  readonly routes: ReadonlyMap<string, Route>;
  /** Whether a path of it is also one of the next pattern, for other methods. */
  readonly isShared: boolean;
}

const begun = Symbol('dispatched');

/** How a request goes on when its route is found. */
interface Begun {
  readonly way: Way;
  /** Follows the chain of the operation. It is not that of the router, whose other routes at the path come next. */
  readonly next: KoaNext;
  /** The parameters of the mount. */
  readonly mount: Readonly<Record<string, string>> | undefined;
}

/** The properties of a context that it and `@koa/router` use to find a route. */
interface Routed extends Context {
  [begun]?: Begun;
  matched?: readonly Layer[] | undefined;
  newRouterPath?: string | undefined;
}

/**
 * The routes of one resource as a `Router` of `@koa/router`, and what that does not do by itself: it runs all routes
 * whose method and path match, in the order in which they were registered, and compares paths as they are spelt. Here:
 *
 * - One route answers. A literal path wins over a parameter, in the first segment in which two patterns differ,
 *   whatever the order of the routes, and for every method: beside `GET /orders/overdue`, `PUT /orders/overdue` is 405,
 *   and no PUT of a record. A path of the library's own may also be that of a record: for other methods, the next
 *   pattern counts.
 * - Paths are compared decoded (RFC 3986 §6.2.2.2): `/%6Fverdue` is `/overdue`. One that is not percent-encoded UTF-8
 *   is 404: as raw text, the id of a record would have a second path.
 * - 405 and OPTIONS name all methods of a path that every caller knows, and no parameter takes the place of one of the
 *   mount.
 */
export class ResourceRouter {
  readonly router = new Router({ strict: true, sensitive: true });
  readonly #patterns = new Map<Layer, Pattern>();
  readonly #resource: string;
  readonly #mark: symbol;
  readonly #match: ReturnType<Router['routes']>;

  /** `root` is the path of the resource. A request whose operation the api has found gets the property `mark`. */
  constructor(resource: string, root: string, routes: readonly Route[], mark = Symbol('carried out')) {
    this.#resource = resource;
    this.#mark = mark;
    for (const own of byPattern(routes)) {
      const pattern = { routes: new Map(own.map((route) => [route.method, route])), isShared: own.every(({ mayBeRecord }) => mayBeRecord) };
      for (const route of own) this.#register(root, route, pattern);
    }
    this.#match = this.router.routes();
  }

  /** Runs the route of a path and of the method of a request, or throws 404 or 405. */
  dispatch(ctx: Routed, path: string, next: KoaNext, way: Way): Promise<void> {
    const canonical = toCanonical(path);
    if (canonical === undefined) throw noSuchPath();
    ctx.newRouterPath = canonical; // the router matches it instead of `ctx.path`
    ctx.matched = undefined; // the router adds to those of the router in which the api is mounted
    ctx[begun] = { way, next, mount: ctx.params };
    return this.#match(ctx as never, () => this.#refuse(ctx));
  }

  /** The route that answers a method at a path. */
  find(method: string, path: string): Route | undefined {
    const canonical = toCanonical(path);
    return canonical === undefined ? undefined : this.#findIn(this.router.match(canonical, method).path, method);
  }

  #register(root: string, route: Route, pattern: Pattern): void {
    const { name, method, path, operation: told = name, maxTimeMS } = route;
    const template = path === '/' ? root : root + path;
    const operation = Object.freeze({ resource: this.#resource, name: told, route: template });
    const endpoint = named(name, (ctx: Routed): Promise<void> => {
      const { way, next, mount } = ctx[begun] ?? refuseAlone(operation);
      ctx.newRouterPath = undefined;
      const run = route[way];
      if (!run || this.#findIn(ctx.matched, ctx.method) !== route) return this.#refuse(ctx);
      if (mount) refuseSameName(mount, ctx.params, parameters, operation);
      ctx.operation = operation;
      if (way === 'run') {
        ctx[this.#mark] = true;
        if (maxTimeMS !== undefined) workOf(ctx).limitTo(maxTimeMS);
      }
      return run(ctx, next);
    });
    const layer = this.router.register(template, [method], endpoint as never, { name }) as Layer;
    const parameters = layer.paramNames.map((one) => one.name);
    layer.param = (name) => (parameters.includes(name) ? refuseParam(name, this.#resource) : layer);
    this.#patterns.set(layer, pattern);
  }

  /** The route for a method among those that match a path: of the first pattern, and of the next where it is shared. */
  #findIn(matched: readonly Layer[] = [], method: string): Route | undefined {
    for (const layer of matched) {
      const { routes, isShared } = this.#patternOf(layer);
      const route = routes.get(method === 'HEAD' ? 'GET' : method);
      if (route || !isShared) return route;
    }
    return undefined;
  }

  /** All routes of a path, by method. */
  #allIn(matched: readonly Layer[] = []): Map<string, Route> {
    const all = new Map<string, Route>();
    for (const layer of matched) {
      const { routes, isShared } = this.#patternOf(layer);
      for (const [method, route] of routes) if (!all.has(method)) all.set(method, route);
      if (!isShared) break;
    }
    return all;
  }

  #patternOf(layer: Layer): Pattern {
    return this.#patterns.get(layer) as Pattern;
  }

  /** Answers OPTIONS; else throws 405, or 404 where nothing is at the path for every caller. */
  async #refuse(ctx: Routed): Promise<void> {
    ctx.newRouterPath = undefined;
    const { way } = ctx[begun] as Begun;
    const all = [...this.#allIn(ctx.matched).values()].filter((route) => route[way] && route.isKnownToAll?.() !== false);
    if (all.length === 0) throw noSuchPath();
    if (ctx.method !== 'OPTIONS') throw methodNotAllowed(all);
    describeOptions(ctx, all);
  }
}

/** The routes of each pattern, the most specific first: a literal before a parameter, from left to right. */
function byPattern(routes: readonly Route[]): Route[][] {
  const patterns = new Map<string, Route[]>();
  for (const route of routes) patterns.set(route.path, [...(patterns.get(route.path) ?? []), route]);
  return [...patterns].sort(([a], [b]) => compareTexts(rankOf(a), rankOf(b))).map(([, own]) => own);
}

/** `/0/1` for `/lines/:line`. */
function rankOf(path: string): string {
  return path.replaceAll(/[^/]+/g, (segment) => (segment.startsWith(':') ? '1' : '0'));
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Spells each segment in one way. Undefined if one is not percent-encoded UTF-8. */
function toCanonical(path: string): string | undefined {
  if (!path.includes('%')) return path;
  try {
    return path.replaceAll(/[^/]+/g, (segment) => encodeURIComponent(decodeURIComponent(segment)));
  } catch {
    return undefined;
  }
}

/**
 * A guard that reads the parameter of a mount would read that of the path. A parameter with the same value is no other
 * one: a middleware of the app may have a path of its own for the record.
 */
function refuseSameName(
  mount: Readonly<Record<string, string>>,
  found: Readonly<Record<string, string>>,
  parameters: readonly string[],
  { name, route }: Operation,
): void {
  const both = parameters.find((one) => Object.hasOwn(mount, one) && mount[one] !== found[one]);
  if (both === undefined) return;
  throw new Error(
    `The api is mounted at a path with the parameter \`:${both}\`, which \`${route}\`, the path of \`${name}\`, has too: give that of the mount another name.`,
  );
}

/** The routes that come before those of the operations answer, so that a function of `param` would be skipped. */
function refuseParam(name: string, resource: string): never {
  throw new ConfigurationError(
    `A function of \`param('${name}')\` would not run for the operations of \`${resource}\`: let a guard of the resource check it.`,
  );
}

function refuseAlone({ name, resource }: Operation): never {
  throw new Error(
    `\`${name}\` of \`${resource}\` was called without the routes of its router that come before it, as by a router with \`exclusive\`: mount \`api.routes()\` there.`,
  );
}
