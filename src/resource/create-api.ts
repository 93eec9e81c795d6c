import type Koa from 'koa';
import compose from 'koa-compose';
import type { Db } from 'mongodb';
import { ConfigurationError } from '../errors.ts';
import { type Authenticate, authenticate } from '../middleware/authenticate.ts';
import { checkBodyLimit } from '../middleware/body-limit.ts';
import { checkNames, namesIn } from '../middleware/check-names.ts';
import type { ResourceMiddleware } from '../middleware/context.ts';
import { guards } from '../middleware/guards.ts';
import { inFlightLimit } from '../middleware/in-flight-limit.ts';
import { checkFilterLimits } from '../middleware/list-query.ts';
import { notModified } from '../middleware/not-modified.ts';
import { type Observe, observe } from '../middleware/observe.ts';
import { problems } from '../middleware/problems.ts';
import { requestId } from '../middleware/request-id.ts';
import type { Model } from '../model/define-model.ts';
import { isObject } from '../model/plain-object.ts';
import { checkTimeLimit } from '../mongo/deadline.ts';
import { isDevelopment } from '../mongo/watch-scans.ts';
import { type ApiDescription, compileDescription, type DescriptionOptions, descriptionOptionNames } from '../openapi/api-description.ts';
import { buildDocument } from '../openapi/build-document.ts';
import { documentPath } from '../openapi/describe-document.ts';
import { docsPath } from '../openapi/docs-page.ts';
import { chains, customChain } from './chains.ts';
import { type ApiSettings, type CompiledResource, compileResource, type ResourceDefinition } from './compile-resource.ts';
import { compileDispatch, type Route } from './dispatch.ts';
import { compileDocsRoutes } from './docs-routes.ts';
import { compileFetch, type FetchOptions, type RequestHandler } from './in-process.ts';
import { compileKoaAdapter } from './koa-adapter.ts';
import { linkResources } from './link-resources.ts';
import { type OpenapiOptions, readDocumentGuards } from './openapi-options.ts';
import { compileApp, type PlainOptions, plainOptionNames } from './plain-adapter.ts';
import type { Indexing } from './plan-indexes.ts';
import { sendDocument } from './send-document.ts';
import { standardPlaces } from './standard-places.ts';

/** Settings of an api (spec, "Api definition"). */
export interface ApiOptions<Resource, Principal = unknown> extends DescriptionOptions, PlainOptions {
  /** The database of the models' collections. */
  readonly db: Db;
  readonly resources: readonly Resource[];
  /** Models that relations lead to and no resource serves: `include` shows their records without a scope. @default none */
  readonly models?: readonly Model[];
  /** Path prefix of all routes, such as `/api`. @default none */
  readonly prefix?: string;
  /** Largest request body, in bytes. @default 1 MiB (1,048,576) */
  readonly maxBody?: number;
  /** Requests in flight at a time; the next gets 503. @default no limit */
  readonly maxConcurrency?: number;
  /** Time limit of the database for one command, in milliseconds, where a model has none of its own. @default 10,000 */
  readonly maxTimeMS?: number;
  /** How many values `[in]` and `[nin]` of a list's query string take; more is 400. @default 500 */
  readonly maxFilterValues?: number;
  /** How many characters `[prefix]` takes, up to 8,000; more is 400. @default 1,000 */
  readonly maxPrefix?: number;
  /** How many keys the sort of a list may have, the id included, up to 32; more is 400. @default 8 */
  readonly maxSortKeys?: number;
  /**
   * Warns of lists that look through a collection, once for each kind of list, with the index that would help (`process.emitWarning`).
   * @default whether `NODE_ENV` is `development` or not set
   */
  readonly warnOnScan?: boolean;
  /** Hears of every request, when its answer has ended: for logs and metrics, see `docs/observing.md`. @default nobody */
  readonly observe?: Observe;
  /** Gives every request an id: in the header `X-Request-Id`, in problems and in what `observe` hears. @default whether there is `observe` */
  readonly requestIds?: boolean;
  /**
   * Serves the OpenAPI description at `<prefix>/openapi.json`: to everybody, or to whom all of its guards let pass. @default true
   *
   * @example
   * openapi: { guards: [signedIn] }
   */
  readonly openapi?: boolean | OpenapiOptions<Principal>;
  /**
   * Serves a page at `<prefix>/docs` that shows the description and tries requests, to whoever may see the description. It is Swagger UI, from the package
   * `swagger-ui-dist` that you install beside this one: the page asks no other host for anything. @default false
   */
  readonly docs?: boolean;
}

/** An api, ready to be served. */
export interface Api<Principal = unknown> {
  /**
   * A middleware for a Koa app or router, under any mount. Below its prefix it answers everything but OPTIONS, 404 and 405 included;
   * outside it calls `next()`.
   *
   * @example
   * new Koa().use(api.routes()).listen(3000);
   * router.use('/shops/:shop', api.routes()); // @koa/router; `ctx.params.shop` is there in guards and scopes
   * app.use(mount('/v1', api.routes())); // koa-mount
   */
  routes(): Koa.Middleware;
  /**
   * A handler for `node:http`. It answers everything: OPTIONS with 204 and `Allow`, what is outside the prefix with a 404 problem.
   *
   * @example
   * http.createServer(api.callback()).listen(3000);
   */
  callback(): RequestHandler;
  /**
   * Answers a request in this process, without any server, as `callback()` would: the same chain, the same bytes.
   *
   * @example
   * const response = await api.fetch(new Request('http://in-process/api/orders'), { principal: { name: 'ann' } });
   */
  fetch(request: Request, options?: FetchOptions<Principal>): Promise<Response>;
  /** @internal What `openapiDocument` describes. */
  readonly description: ApiDescription;
  /** @internal What `planIndexes` plans for. */
  readonly indexing: Indexing;
}

const optionNames = [
  'db',
  'resources',
  'models',
  'prefix',
  'maxBody',
  'maxConcurrency',
  'maxTimeMS',
  'maxFilterValues',
  'maxPrefix',
  'maxSortKeys',
  'warnOnScan',
  'observe',
  'requestIds',
  'openapi',
  'docs',
  ...descriptionOptionNames,
  ...plainOptionNames,
] as const satisfies readonly (keyof ApiOptions<unknown>)[];

/** Compiles resources into an api. Every mistake in a definition is thrown here as a {@link ConfigurationError}. */
export function createApi(options: ApiOptions<ResourceDefinition>, identify: Authenticate<unknown> | undefined): Api {
  checkNames('option', namesIn(options, 'an api'), optionNames, 'an api');
  const {
    db,
    resources,
    prefix = '',
    maxBody = 1_048_576,
    maxConcurrency,
    maxTimeMS = 10_000,
    warnOnScan = isDevelopment(),
    openapi = true,
    docs = false,
  } = options;
  if (!Array.isArray(resources) || resources.some((resource: unknown) => !isObject(resource))) {
    throw new ConfigurationError('`resources` of an api must be a list of what `resource()` of its service returns.');
  }
  checkPrefix(prefix);
  checkBodyLimit(maxBody);
  checkTimeLimit(maxTimeMS);
  const documentGuards = readDocumentGuards(openapi);
  if (typeof docs !== 'boolean') throw new ConfigurationError('`docs` must be true or false.');
  if (docs && !documentGuards) throw new ConfigurationError('`docs` shows the description: it needs `openapi`.');
  if (typeof warnOnScan !== 'boolean') throw new ConfigurationError('`warnOnScan` must be true or false.');
  const settings: ApiSettings = { db, maxBody, maxTimeMS, warnOnScan, filterLimits: checkFilterLimits(options) };
  const limit = maxConcurrency === undefined ? [] : [inFlightLimit(maxConcurrency)];
  const before = [...limit, authenticate(identify ?? (() => undefined))];
  const compiled = linkResources(
    resources.map((definition) => ({ definition, resource: compileResource(definition, settings) })),
    options.models,
  );
  const routes = new Map<string, readonly Route[]>();
  for (const resource of compiled) {
    if (routes.has(resource.path))
      throw new ConfigurationError(`Two resources have the path \`${resource.path}\`: give one of them another \`path\`.`);
    routes.set(resource.path, compileRoutes(resource, before));
  }
  const description: ApiDescription = {
    ...compileDescription(options),
    prefix,
    resources: compiled,
    authenticates: identify !== undefined,
    isLimited: maxConcurrency !== undefined,
    givesIds: givesIds(options),
    documentGuards,
  };
  if (documentGuards) {
    const open = documentGuards.length === 0 ? limit : [...before, guards(...documentGuards)];
    setOwn(routes, documentPath, [compileDocumentRoute(description, open)], 'its description there, unless `openapi` is false');
    if (docs) setOwn(routes, docsPath, compileDocsRoutes(description, open), 'its docs page there, unless `docs` is false');
  }
  const dispatch = compileDispatch(routes);
  const around = compileAround(options);
  const app = compileApp(prefix, around, dispatch, options);
  return {
    description,
    indexing: { db, resources: compiled, models: options.models ?? [] },
    routes: () => compileKoaAdapter(prefix, around, dispatch),
    callback: () => app.callback(),
    fetch: compileFetch(app.callback()),
  };
}

/** What stands around every request, those that address nothing included. */
function compileAround(options: Pick<ApiOptions<never>, 'observe' | 'requestIds'>): ResourceMiddleware {
  const observers = options.observe === undefined ? [] : [observe(options.observe)];
  return compose([...observers, ...(givesIds(options) ? [requestId()] : []), problems()]) as ResourceMiddleware;
}

function givesIds({ observe: tell, requestIds = tell !== undefined }: Pick<ApiOptions<never>, 'observe' | 'requestIds'>): boolean {
  if (typeof requestIds !== 'boolean') throw new ConfigurationError('`requestIds` must be true or false.');
  return requestIds;
}

function compileRoutes(resource: CompiledResource, before: readonly ResourceMiddleware[]): Route[] {
  const run = (chain: readonly ResourceMiddleware[]) => compose([...before, ...chain]) as ResourceMiddleware;
  const standard = resource.ops.map((operation) => ({
    ...standardPlaces[operation],
    name: operation,
    run: run(chains[operation](resource)),
  }));
  const custom = resource.operations.map((operation) => ({
    method: operation.method,
    path: operation.path,
    name: operation.name,
    run: run(customChain(resource, operation)),
  }));
  return [...standard, ...custom];
}

/** Adds what the api serves beside its resources. */
function setOwn(routes: Map<string, readonly Route[]>, path: string, own: readonly Route[], what: string): void {
  if (routes.has(path)) throw new ConfigurationError(`A resource cannot have the path \`${path}\`: the api serves ${what}.`);
  routes.set(path, own);
}

function compileDocumentRoute(description: ApiDescription, before: readonly ResourceMiddleware[]): Route {
  const send = sendDocument(buildDocument(description), `${description.prefix}/${documentPath}`);
  return { method: 'GET', path: '/', name: 'openapi', run: compose([...before, notModified(), send]) as ResourceMiddleware };
}

function checkPrefix(prefix: string): void {
  if (prefix !== '' && !/^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/.test(prefix)) {
    throw new ConfigurationError(
      `\`prefix\` must begin with a slash and end without one, such as \`/api\`, and have no segment \`.\` or \`..\`; it is \`${prefix}\`.`,
    );
  }
}
