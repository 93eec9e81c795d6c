import type { OptionsOfApis } from '../features/api-types.ts';
import type { LimitsOfLists } from '../features/list-types.ts';
import type { CrossOriginOptions } from '../middleware/cross-origin.ts';
import type { Guard } from '../middleware/exchange/context.ts';
import { limitsOfLists } from '../middleware/exchange/further-parameters.ts';
import type { KoaContext } from '../middleware/exchange/koa-context.ts';
import type { NameClient } from '../middleware/in-flight-limit.ts';
import type { Observe } from '../middleware/observe.ts';
import type { WriteProblem } from '../middleware/problems.ts';
import type { ThroughLimits } from '../middleware/relations/compile-through.ts';
import type { Model } from '../model/define/define-model.ts';
import type { Database } from '../mongo/driver/database.ts';
import type { ReferenceLimits } from '../mongo/relations/limits.ts';
import type { RemovalFields } from '../mongo/removals/define-removals.ts';
import { type DescriptionOptions, descriptionOptionNames } from '../openapi/api-description.ts';
import type { RequestContext } from '../resource/define/custom-operation.ts';
import { type PlainOptions, plainOptionNames } from './plain-adapter.ts';

/** Who may read the OpenAPI description of an api. */
export interface OpenapiOptions<Principal, App = KoaContext> {
  /**
   * Asked after `authenticate`, before the description and before every file of the docs page: each must return true.
   */
  readonly guards?: readonly Guard<RequestContext<Principal, App>>[];
  /**
   * Whether each caller gets the description of what it sees: without the fields outside its view. Otherwise everybody
   * gets that of all fields, which says for whom they are.
   * @default false
   */
  readonly perCaller?: boolean;
}

/** Settings of {@link ApiOptions.maxConcurrency}. */
export interface ConcurrencyOptions<Principal, App = KoaContext> {
  /** How many requests of all clients may be in flight; the next one is answered with 503. @default no limit */
  readonly total?: number;
  /** How many requests of one client may be in flight; its next one is answered with 429. */
  readonly each: number;
  /**
   * Names the client of a request, such as its tenant; undefined if the request counts for no client. It runs after
   * `authenticate`.
   */
  readonly by: NameClient<RequestContext<Principal, App>>;
}

/** Settings of an api. */
export interface ApiOptions<Resource, Principal = unknown, App = KoaContext>
  extends DescriptionOptions,
    PlainOptions,
    ThroughLimits,
    LimitsOfLists,
    ReferenceLimits,
    OptionsOfApis<Principal, App> {
  /** The database of the models' collections. */
  readonly db: Database;
  /** The resources that `resource()` of the service has returned. Their paths must differ. */
  readonly resources: readonly Resource[];
  /** Models without a resource that relations lead to. `include` shows their records without a scope. @default none */
  readonly models?: readonly Model[];
  /** Path prefix of all routes, such as `/api`. @default none */
  readonly prefix?: string;
  /** Largest request body, in bytes. @default 1 MiB (1,048,576) */
  readonly maxBody?: number;
  /**
   * The most values that the JSON of a request body may have, where each array and each object counts as one more; more
   * are answered with 413. A body is parsed, validated and sent to the database in one go: this limits how long others
   * wait for that.
   * @default 25,000
   */
  readonly maxValues?: number;
  /**
   * How many requests may be in flight at the same time; the next one is answered with 503. With `each` and `by`, a
   * client that has so many in flight is answered with 429, and leaves the other places to others.
   * @default no limit
   *
   * @example
   * maxConcurrency: { total: 200, each: 20, by: (ctx) => ctx.principal?.name }
   */
  readonly maxConcurrency?: number | ConcurrencyOptions<Principal, App>;
  /**
   * How long the database may work for one request, in milliseconds. `maxTimeMS` of a model wins over it.
   *
   * @default 10,000
   */
  readonly maxTimeMS?: number;
  /** How long a request body may take to arrive, in milliseconds. A slower one is answered with 408. @default 30,000 */
  readonly bodyTimeout?: number;
  /**
   * How long a request may take until its answer is ready, in milliseconds, with the time that its body takes to
   * arrive. After that it is answered with 503, or with 504 if it may have written something, so that a function that
   * never ends does not count as in flight for ever.
   * @default 60,000
   */
  readonly requestTimeout?: number;
  /**
   * How long a client may take to read an answer, or each part of a stream, in milliseconds. A slower client is
   * disconnected.
   *
   * @default 120,000
   */
  readonly answerTimeout?: number;
  /**
   * How many bytes a page of a list may have: in what the database sends, and in the JSON of its records. From 1,024 to
   * 268,435,456; one record always fits. With cursors a larger page ends early; with page numbers it is answered with
   * 400. What `include` embeds has the same limit.
   * @default 16 MiB (16,777,216)
   */
  readonly maxPageBytes?: number;
  /**
   * Answers 403 to requests that a page of another origin makes a browser send, unless their method is safe (GET,
   * HEAD). It is checked before `authenticate`, and is for apis that identify callers by cookies. Pages of
   * `trustedOrigins` may write; CORS decides which may read.
   * @default false
   *
   * @example
   * crossOrigin: { trustedOrigins: ['https://app.example'] }
   */
  readonly crossOrigin?: boolean | CrossOriginOptions;
  /**
   * How many values `[in]` and `[nin]` in the query string of a list may have. More are answered with 400.
   *
   * @default 500
   */
  readonly maxFilterValues?: number;
  /** How many characters `[prefix]` may have, up to 8,000. More are answered with 400. @default 1,000 */
  readonly maxPrefix?: number;
  /** How many keys the sort of a list may have, with the id, up to 32. More are answered with 400. @default 8 */
  readonly maxSortKeys?: number;
  /**
   * How many records that fulfil all other filters may be looked at for `[contains]`, up to 10,000,000. More are
   * answered with 422.
   * @default 100,000
   */
  readonly maxContainsMatches?: number;
  /**
   * Whether to warn (`process.emitWarning`) about a list that scans a whole collection: once for each kind of list,
   * with the index that would help.
   * @default true if `NODE_ENV` is `development` or not set
   */
  readonly warnOnScan?: boolean;
  /**
   * Whether requests that get or create single records at the same time may share a round trip: while a `find` or an
   * `insert` of the resource is under way, further ones are collected and sent as one. Each request keeps its own
   * scope, deadline, error and answer. @default true
   */
  readonly shareRoundTrips?: boolean;
  /**
   * Called once for every request, when its answer has ended: for logs and metrics. See `docs/reference/observing.md`.
   *
   * @default none
   */
  readonly observe?: Observe;
  /**
   * Writes the bodies of problems: it returns an object, which is sent as JSON, or a string. The OpenAPI description
   * then has no bodies of problems. If the function throws, the problem document is sent, and `onError` or
   * `app.on('error')` gets the error. See `docs/reference/answering-with-errors.md`.
   * @default the problem document (RFC 9457)
   *
   * @example
   * problem: (document, ctx) => ({ ...document, instance: ctx.path })
   */
  readonly problem?: WriteProblem;
  /**
   * Gives every request an id: in the header `X-Request-Id`, in problems and for `observe`.
   *
   * @default true if `observe` is set
   */
  readonly requestIds?: boolean;
  /**
   * The model of deletes in the background: what `defineRemovals()` of `koa-mongo-resource/removals` returns. With it,
   * stores have `remove(id, { inBackground: true })` and `purge(id, { cascade: true })`, and `deliver` carries these
   * out. They need a replica set. See `docs/reference/removals.md`.
   * @default none
   */
  readonly removals?: Model<RemovalFields>;
  /**
   * Serves the OpenAPI description at `<prefix>/openapi.json`: to everybody, or only to callers for whom all guards
   * return true. @default true
   *
   * @example
   * openapi: { guards: [signedIn] }
   */
  readonly openapi?: boolean | OpenapiOptions<Principal, App>;
  /**
   * Serves a page at `<prefix>/docs` that shows the description and can send requests, to everybody who may read the
   * description. The page is Swagger UI of the package `swagger-ui-dist`, which you install yourself. It loads nothing
   * from another host. @default false
   */
  readonly docs?: boolean;
  /**
   * Serves `<prefix>/health/live` and `<prefix>/health/ready`, before authentication, limits and `observe`. The answer
   * is 200. `ready` answers 503 while the database cannot be reached, and after `close` was called. See
   * `docs/reference/serving.md`. @default false
   */
  readonly health?: boolean;
}

/** The names of {@link ApiOptions}. */
export const apiOptionNames = [
  'db',
  'resources',
  'models',
  'prefix',
  'maxBody',
  'maxValues',
  'maxConcurrency',
  'maxTimeMS',
  'bodyTimeout',
  'requestTimeout',
  'answerTimeout',
  'maxPageBytes',
  'maxCascade',
  'maxCleared',
  'maxLatches',
  'crossOrigin',
  'maxFilterValues',
  'maxPrefix',
  'maxSortKeys',
  'maxContainsMatches',
  'maxIdsThrough',
  'maxConditionsThrough',
  'maxSortThrough',
  ...(Object.keys(limitsOfLists) as (keyof LimitsOfLists)[]),
  'warnOnScan',
  'shareRoundTrips',
  'observe',
  'problem',
  'requestIds',
  'removals',
  'openapi',
  'docs',
  'health',
  ...descriptionOptionNames,
  ...plainOptionNames,
] as const satisfies readonly (keyof ApiOptions<unknown>)[];
