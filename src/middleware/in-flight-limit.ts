import { Problem } from '../errors.ts';
import { aWholeNumber, checkValue } from '../options.ts';
import { canAnswer } from './parts/can-answer.ts';
import type { ResourceMiddleware } from './parts/context.ts';
import { exchangeOf } from './parts/exchange.ts';

/**
 * Lets at most `max` requests in at a time. A request has its place from before its body is read until both are true: what runs for it has ended
 * (or was given up, by a `requestTimeout` below), and its answer has ended or its connection is gone. The next one gets 503 with
 * `Retry-After: 1`.
 *
 * @example
 * app.use(inFlightLimit(200)).use(requestTimeout(60_000));
 */
export function inFlightLimit(max: number): ResourceMiddleware {
  checkValue('`maxConcurrency`', max, aWholeNumber(1));
  let inFlight = 0;
  return canAnswer(['overloaded'], async function inFlightLimit(ctx, next) {
    if (inFlight >= max) {
      throw new Problem({ code: 'overloaded', detail: 'The service is busy; try again in a second.' });
    }
    const exchange = exchangeOf(ctx);
    inFlight++;
    try {
      await next();
    } finally {
      exchange.whenOver(() => inFlight--);
    }
  });
}
