import { isProblem, Problem } from '../errors.ts';
import { once } from '../mistakes.ts';
import { aFunction, aWholeNumber, checkOptions, checkValue, type LegalOptions } from '../options.ts';
import type { Context, ResourceMiddleware } from './exchange/context.ts';
import { described } from './exchange/descriptor.ts';
import { exchangeOf } from './exchange/exchange.ts';

/**
 * Names the client of a request, such as its tenant, by a text that is not empty; undefined if the request does not
 * count.
 */
export type NameClient<Ctx = Context> = (ctx: Ctx) => string | undefined | Promise<string | undefined>;

/** Settings of {@link inFlightLimit}. */
export interface InFlightOptions<Ctx = Context> {
  /** Names the client of a request, and each client has places of its own. @default all requests count together */
  readonly by?: NameClient<Ctx>;
}

/**
 * Limits the number of requests that are handled at a time to `max`. Further requests are 503 `overloaded`. A request
 * takes its place before its body is read. It frees the place when its middlewares have ended or `requestTimeout` has
 * given it up, and its answer has ended or its connection is closed. An export, and a stream that `handler`
 * answers with, free it when they begin to be sent.
 *
 * With `by`, each client may have `max` requests in flight, and its next one is 429 `too_many_requests` (RFC 6585 §4):
 * place it below `authenticate`. Both answers carry `Retry-After: 1`.
 *
 * @example
 * app.use(inFlightLimit(200)).use(requestTimeout(60_000));
 *
 * @example
 * app.use(inFlightLimit(200)).use(inFlightLimit(20, { by: (ctx) => ctx.ip }));
 */
export function inFlightLimit<Ctx = Context>(max: number, options: InFlightOptions<Ctx> = {}): ResourceMiddleware {
  checkValue('`maxConcurrency`', max, aWholeNumber(1));
  checkOptions(options, legalOptions, '`inFlightLimit`');
  return options.by === undefined ? limitAll(max) : limitEach(max, options.by as NameClient);
}

const legalOptions: LegalOptions<InFlightOptions<never>> = { by: aFunction };

function limitAll(max: number): ResourceMiddleware {
  let inFlight = 0;
  return described({ problems: ['overloaded'] }, async function inFlightLimit(ctx, next) {
    if (inFlight >= max) throw new Problem({ code: 'overloaded', detail: 'The service is busy; try again in a second.' });
    const exchange = exchangeOf(ctx);
    inFlight++;
    let isRefused = false;
    try {
      await next();
    } catch (error) {
      isRefused = isProblem(error) && error.code === 'too_many_requests';
      throw error;
    } finally {
      // The answer of a client that has too many requests may wait behind theirs: it must not take a place from others
      // meanwhile.
      if (isRefused) inFlight--;
      else exchange.whenFree(() => inFlight--);
    }
  });
}

/** @internal Limits how many requests of a client are handled at a time. The 429 names them by `what`. */
export function limitEach(max: number, by: NameClient, what = 'requests'): ResourceMiddleware {
  const inFlight = new Map<string, number>();
  function leave(client: string): void {
    const others = (inFlight.get(client) as number) - 1;
    if (others === 0) inFlight.delete(client);
    else inFlight.set(client, others);
  }
  return described({ problems: ['too_many_requests', 'internal'] }, async function inFlightLimit(ctx, next) {
    const exchange = exchangeOf(ctx);
    const client = await by(ctx);
    exchange.throwIfGivenUp();
    if (client === undefined) return next();
    if (typeof client !== 'string' || client === '')
      throw new TypeError('`by` of `inFlightLimit` must return a string that is not empty, or undefined.');
    const others = inFlight.get(client) ?? 0;
    if (others >= max) {
      const detail = `This client has as many ${what} in flight as it may have (${max}); wait until one of them has ended.`;
      throw new Problem({ code: 'too_many_requests', detail, headers: { 'retry-after': '1' } });
    }
    inFlight.set(client, others + 1);
    const end = once(() => exchange.whenFree(() => leave(client)));
    exchange.whenGivenUp(end); // what is below may never end, and `requestTimeout` is above
    try {
      await next();
    } finally {
      end();
    }
  });
}
