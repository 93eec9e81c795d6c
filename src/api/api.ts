import type Koa from 'koa';
import type { Db } from 'mongodb';
import type { Model } from '../model/define/define-model.ts';
import type { ApiDescription } from '../openapi/api-description.ts';
import type { CompiledResource } from '../resource/compiled-resource.ts';
import type { CloseOptions } from './close.ts';
import type { FetchOptions, RequestHandler } from './in-process.ts';

/** What the indexes of an api are derived from. */
export interface Indexing {
  readonly db: Db;
  readonly resources: readonly CompiledResource[];
  readonly models: readonly Model[];
  /** How long the database may take to say what it has, in milliseconds. */
  readonly maxTimeMS: number;
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
  /**
   * Ends the server that serves the api without losing a request: `health/ready` turns 503; after `delay` the server stops listening; every answer
   * that is not yet sent says `Connection: close`, those of the app's other routes too, and connections that are quiet for a second are ended.
   * What is still open after `timeout` is cut. Called again, it waits for the same end. The `MongoClient` stays open: it is yours.
   *
   * Rejects with a {@link ConfigurationError} where an option is wrong, and never because of a client.
   *
   * @example
   * const server = app.listen(3000);
   * process.once('SIGTERM', async () => {
   *   await api.close({ server, delay: 5_000 }); // as long as the load balancer needs to notice
   *   await client.close();
   * });
   */
  close(options: CloseOptions): Promise<void>;
  /** @internal What `openapiDocument` describes. */
  readonly description: ApiDescription;
  /** @internal What `planIndexes` plans for. */
  readonly indexing: Indexing;
}
