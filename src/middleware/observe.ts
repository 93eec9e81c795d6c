import { AsyncResource } from 'node:async_hooks';
import { aFunction, checkValue } from '../options.ts';
import type { ResourceMiddleware } from './exchange/context.ts';
import { described } from './exchange/descriptor.ts';
import { exchangeOf } from './exchange/exchange.ts';
import type { KoaContext } from './exchange/koa-context.ts';
import { reportError } from './exchange/report-error.ts';

/** The outcome of one request. */
export interface Observation {
  /** The path of the resource. Undefined if the request addressed none (404, 405, OPTIONS). */
  readonly resource: string | undefined;
  /** The operation: `list`, `get`, …, or the name of a custom operation. */
  readonly operation: string | undefined;
  /**
   * The template of the operation's path below the api's mount, such as `/api/orders/:id`. It has few values and is fit
   * for labels. Undefined if the request addressed no operation.
   */
  readonly route: string | undefined;
  /** The status of the answer; 499 if the client closed the connection before the answer had ended. */
  readonly status: number;
  /**
   * Milliseconds from the arrival of the request at this middleware until its answer ended or its client closed the
   * connection.
   */
  readonly duration: number;
  /** The sum of the times of the library's commands, in milliseconds. Some of them may run in parallel. */
  readonly databaseTime: number;
  /** The number of commands that the library sent. */
  readonly commandCount: number;
  /** The id that `requestId` gave to the request. */
  readonly requestId: string | undefined;
  /** Whether the client closed the connection before the answer had ended. */
  readonly isAborted: boolean;
}

/**
 * Called once for each request, when its answer has ended or its client has closed the connection. A returned promise
 * is not awaited.
 */
export type Observe = (observation: Observation, ctx: KoaContext) => unknown;

/**
 * Reports every request to a function when its answer has ended or its client has closed the connection: for logs and
 * metrics, see `docs/reference/observing.md`. Place it first in the chain. The function runs in the asynchronous
 * context of the request. If it throws or rejects, `app.on('error')` receives the error.
 *
 * @example
 * app.use(observe(({ operation, status, duration }) => console.log(operation, status, duration)));
 */
export function observe(tell: Observe): ResourceMiddleware {
  checkValue('`observe`', tell, aFunction);
  return described({}, async function observe(ctx, next) {
    const begun = performance.now();
    const exchange = exchangeOf(ctx);
    const wasOver = exchange.isOver; // the client has gone while a middleware above was busy
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
    // Registered before `next()`, which may never end while the client goes.
    if (!wasOver) exchange.whenOver(report);
    try {
      await next();
    } finally {
      if (wasOver) await report();
    }
  });
}
