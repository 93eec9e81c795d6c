import type { CrossOriginOptions } from '../middleware/cross-origin.ts';
import type { Observe } from '../middleware/observe.ts';
import type { WriteProblem } from '../middleware/problems.ts';
import type { Model } from '../model/define/define-model.ts';
import type { Database } from '../mongo/driver/database.ts';
import { type DescriptionOptions, descriptionOptionNames } from '../openapi/api-description.ts';
import type { OpenapiOptions } from './openapi-options.ts';
import { type PlainOptions, plainOptionNames } from './plain-adapter.ts';

/** Settings of an api. */
export interface ApiOptions<Resource, Principal = unknown> extends DescriptionOptions, PlainOptions {
  /** The database of the models' collections. */
  readonly db: Database;
  readonly resources: readonly Resource[];
  /** Models that relations lead to and no resource serves: `include` shows their records without a scope. @default none */
  readonly models?: readonly Model[];
  /** Path prefix of all routes, such as `/api`. @default none */
  readonly prefix?: string;
  /** Largest request body, in bytes. @default 1 MiB (1,048,576) */
  readonly maxBody?: number;
  /** Requests in flight at a time; the next gets 503. @default no limit */
  readonly maxConcurrency?: number;
  /** How long the database may work for one request, in milliseconds, where the model of the operation does not say. @default 10,000 */
  readonly maxTimeMS?: number;
  /** How long a body may take to arrive, in milliseconds; 408 beyond. @default 30,000 */
  readonly bodyTimeout?: number;
  /**
   * How long a request may take until its answer is ready, its body included, in milliseconds; then it is given up: 503, or 504 where something
   * was written. A function that never ends cannot hold a place in flight. @default 60,000
   */
  readonly requestTimeout?: number;
  /** How long a client may take to read an answer, in milliseconds, before it is cut off; of a stream, for each part. @default 120,000 */
  readonly answerTimeout?: number;
  /**
   * How many bytes a page of a list may have, of what is read of it and of the JSON of its records, from 1,024 to 268,435,456; one record
   * always fits. By cursor a larger page ends early, by number it is 400. What `include` embeds is bounded in the same way.
   * @default 16 MiB (16,777,216)
   */
  readonly maxPageBytes?: number;
  /**
   * Refuses what a page of another origin makes a browser send, unless it is safe (GET): 403, before `authenticate`. For apis that know their
   * callers by cookies. `trustedOrigins` may write all the same; which may read, CORS says.
   * @default false
   *
   * @example
   * crossOrigin: { trustedOrigins: ['https://app.example'] }
   */
  readonly crossOrigin?: boolean | CrossOriginOptions;
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
  /**
   * Replaces how problems are written: what it returns is the body, an object (JSON) or a text. The description then promises no body for
   * them. Where it fails, the problem document is sent, and `onError` or `app.on('error')` hears why. See `docs/answering-with-errors.md`.
   * @default the problem document (RFC 9457)
   *
   * @example
   * problem: (document, ctx) => ({ ...document, instance: ctx.path })
   */
  readonly problem?: WriteProblem;
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
  /**
   * Serves `<prefix>/health/live` and `<prefix>/health/ready` for whoever runs the service, before authentication, limits and `observe`: 200, or
   * 503 where it is not ready because its database is away or `close` was called. See `docs/serving.md`. @default false
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
  'maxConcurrency',
  'maxTimeMS',
  'bodyTimeout',
  'requestTimeout',
  'answerTimeout',
  'maxPageBytes',
  'crossOrigin',
  'maxFilterValues',
  'maxPrefix',
  'maxSortKeys',
  'warnOnScan',
  'observe',
  'problem',
  'requestIds',
  'openapi',
  'docs',
  'health',
  ...descriptionOptionNames,
  ...plainOptionNames,
] as const satisfies readonly (keyof ApiOptions<unknown>)[];
