import { AsyncResource } from 'node:async_hooks';
import type Koa from 'koa';
import { aFunction, checkValue } from '../options.ts';
import type { ResourceMiddleware } from './parts/context.ts';
import { exchangeOf } from './parts/exchange.ts';
import { reportError } from './parts/report-error.ts';

/** What became of one request. */
export interface Observation {
  /** The path of the resource; undefined where the request addressed none: 404, 405, OPTIONS. */
  readonly resource: string | undefined;
  /** The operation: `list`, `get`, …, or the name of a custom one. */
  readonly operation: string | undefined;
  /**
   * The template of its path below the api's mount, such as `/api/orders/:id`: few values, fit for labels. Undefined where the request addressed
   * no operation.
   */
  readonly route: string | undefined;
  /** Of the answer; 499 where the client went away before it had ended. */
  readonly status: number;
  /** Milliseconds from the request's arrival here until its answer has ended, or its client has gone. */
  readonly duration: number;
  /** Milliseconds that the library's commands took, all added up: some run at the same time. */
  readonly databaseTime: number;
  /** How many commands the library sent. */
  readonly commandCount: number;
  /** By `requestId`. */
  readonly requestId: string | undefined;
  /** Whether the client went away before its answer had ended. */
  readonly isAborted: boolean;
}

/** Hears of every request once, when its answer has ended or its client has gone. Nobody waits for a promise that it returns. */
export type Observe = (observation: Observation, ctx: Koa.Context) => unknown;

/**
 * Tells a function of every request, when its answer has ended or its client has gone: for logs and metrics, see `docs/observing.md`. The
 * outermost of the chain. The function runs in the asynchronous context of the request; what it throws, or rejects with, reaches
 * `app.on('error')`.
 *
 * @example
 * app.use(observe(({ operation, status, duration }) => console.log(operation, status, duration)));
 */
export function observe(tell: Observe): ResourceMiddleware {
  checkValue('`observe`', tell, aFunction);
  return async function observe(ctx, next) {
    const begun = performance.now();
    const exchange = exchangeOf(ctx);
    const wasOver = exchange.isOver; // a client that went while a middleware above was busy
    const report = AsyncResource.bind(async () => {
      const { operation, requestId } = ctx;
      const { databaseTime, commandCount } = exchange.work;
      const isAborted = exchange.isBroken;
      const status = isAborted ? 499 : ctx.status;
      const duration = performance.now() - begun;
      const what = { resource: operation?.resource, operation: operation?.name, route: operation?.route };
      try {
        await tell({ ...what, status, duration, databaseTime, commandCount, requestId, isAborted }, ctx);
      } catch (error) {
        reportError(ctx, error);
      }
    });
    // Before anything runs: what runs may never end, and the client may go meanwhile.
    if (!wasOver) exchange.whenOver(report);
    try {
      await next();
    } finally {
      if (wasOver) await report();
    }
  };
}
