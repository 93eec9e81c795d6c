import type Router from '@koa/router';
import type { Db } from 'mongodb';
import type { MethodsOfApis } from '../features/api-types.ts';
import type { KoaMiddleware } from '../middleware/exchange/koa-context.ts';
import type { Model } from '../model/define/define-model.ts';
import type { Keeps } from '../mongo/keeps/keep.ts';
import type { ApiDescription } from '../openapi/api-description.ts';
import type { WatchedQueue } from '../queues/letters.ts';
import type { CompiledResource } from '../resource/define/compiled-resource.ts';
import type { PlanDelete } from '../store/plan-delete.ts';
import type { RunTransaction, StoreOf } from '../store/store.ts';
import type { CloseOptions } from './close.ts';
import type { FetchOptions, RequestHandler } from './in-process.ts';
import type { Resource } from './resource.ts';

/** The input of `planIndexes` and `planValidators`. */
export interface Indexing {
  readonly db: Db;
  readonly resources: readonly CompiledResource[];
  readonly models: readonly Model[];
  /** Those of the models whose records plug-ins keep for themselves. */
  readonly ofPlugins: readonly Model[];
  /** How long the database may take to list its indexes, in milliseconds. */
  readonly maxTimeMS: number;
  /** The model of the latches of references that hold, which has indexes and no validator. */
  readonly latches?: Model | undefined;
}

/** The `Router` of `@koa/router`, under a name of this package: an app need not install it to export one. */
export interface KoaRouter extends Router {}

/** An api, ready to be served. */
export interface Api<Principal = unknown> extends MethodsOfApis<Principal> {
  /**
   * Returns a middleware for a Koa app or router, under any mount. It answers all requests below its prefix except
   * OPTIONS, with 404 and 405 too. For all others it calls `next()`.
   *
   * With a resource of the api, it answers the requests below the path of that one alone.
   *
   * @example
   * new Koa().use(api.routes()).listen(3000);
   * router.use('/shops/:shop', api.routes()); // guards and scopes can read `ctx.params.shop`
   * app.use(mount('/v1', api.routes())); // with koa-mount
   * router.use('/shop', api.routes(orders));
   */
  routes(resource?: Resource<Principal>): KoaMiddleware;
  /**
   * Returns the `Router` of `@koa/router` of a resource of the api: to print it, to make links by `router.url`, and to
   * `use` it in a router of the app. What is around every operation of the api is around those of the router too. Its
   * routes have the names of the operations, and the paths of the api with its prefix. The app answers all requests
   * that none of them matches: 404 and 405, too.
   *
   * @example
   * const router = api.router(orders);
   * for (const { name, methods, path } of router.stack) console.log(name, methods, path);
   * app.use(router.routes());
   * router.url('get', { id: '5' }); // '/api/orders/5'
   */
  router(resource: Resource<Principal>): KoaRouter;
  /**
   * Returns a request listener for `node:http`. It answers all requests: OPTIONS with 204 and `Allow`, and paths
   * outside the prefix with a 404 problem.
   *
   * @example
   * http.createServer(api.callback()).listen(3000);
   */
  callback(): RequestHandler;
  /**
   * Answers a request in this process, without a server. The answer has the same bytes as that of `callback()`. Rejects
   * if the `signal` of the request is aborted.
   *
   * @example
   * const response = await api.fetch(new Request('http://in-process/api/orders'), { principal: { name: 'ann' } });
   */
  fetch(request: Request, options?: FetchOptions<Principal>): Promise<Response>;
  /**
   * Closes the server without losing a request. `health/ready` answers 503 at once. After `delay` the server stops
   * listening; every answer that is sent from then on has `Connection: close`, on other routes of the app too; and
   * connections on which nothing arrives for a second are closed. Connections that are still open after `timeout` are
   * destroyed. Further calls wait for the same end. The `MongoClient` stays open. Without `server`, it closes no
   * connection, and waits for the answers of this api, at most for `timeout`.
   *
   * Rejects with a {@link ConfigurationError} for an invalid option, and never because of a client.
   *
   * @example
   * const server = app.listen(3000);
   * process.once('SIGTERM', async () => {
   *   await api.close({ server, delay: 5_000 }); // as long as the load balancer needs to notice
   *   await client.close();
   * });
   */
  close(options?: CloseOptions): Promise<void>;
  /**
   * Opens the store of a model, which need not be one of a resource: for jobs, scripts and tests. Each operation has
   * `maxTimeMS` of the api.
   *
   * @example
   * const open = await api.store(Order).find({ owner: 'ann' }, { sort: ['-total'], limit: 20 });
   */
  readonly store: StoreOf;
  /**
   * Replaces the name of an actor in the histories and the events of all models of the api, and in what its webhooks
   * keep, for a person who wants to be forgotten. Nothing else about the person is known there: purge what the records
   * say. Returns how many entries, events and deliveries it has changed; if it fails on the way, call it again. `as` is
   * the name in its place, by default none (null). Backups are out of its reach.
   *
   * @example
   * await api.forgetActor('ann@example.org', 'a former user');
   */
  forgetActor(actor: string, as?: string): Promise<number>;
  /**
   * Tells what a delete of a record would do because of `onDelete` of references, without doing it. No scope applies:
   * show its result only to users who may see all of it. Throws `not_found` (404).
   *
   * @example
   * const { isAllowed, steps } = await api.planDelete(Project, id);
   * // steps: [{ model: 'Task', action: 'delete', count: 2, ids: […] }]
   */
  readonly planDelete: PlanDelete;
  /**
   * Runs a function in a transaction.
   *
   * @example
   * await api.transaction(async (tx) => {
   *   const order = await tx.store(Order).create({ customer, owner: 'ann', total: 5 });
   *   await tx.store(Order).update(order.id, { total: 7 });
   * });
   */
  readonly transaction: RunTransaction;
  /**
   * @internal If `authenticate` accepts a request, answers 204, or with the names of the rules that hold; else with its
   * problem. Undefined if the api has neither `authenticate` nor rules.
   */
  readonly identify: ((request: Request, options?: FetchOptions<never>) => Promise<Response>) | undefined;
  /** @internal What is kept of records beside them. */
  readonly keeps: () => Promise<Keeps>;
  /** @internal The outboxes, and the queues of deliveries, for the command line. */
  readonly queues: () => Promise<WatchedQueue[]>;
  /** @internal The name of the operation that answers a method at a path. */
  readonly operationAt: (method: string, path: string) => string | undefined;
  /** @internal What `openapiDocument` describes. */
  readonly description: ApiDescription;
  /** @internal What `planIndexes` and `planValidators` plan for. */
  readonly indexing: Indexing;
}
