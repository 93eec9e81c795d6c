import { Problem } from '../errors.ts';
import { aWholeNumber, checkValue } from '../options.ts';
import { canAnswer } from './parts/can-answer.ts';
import type { ResourceMiddleware } from './parts/context.ts';
import { exchangeOf } from './parts/exchange.ts';

/**
 * Limits the number of requests that are handled at a time to `max`. Further requests are 503 with `Retry-After: 1`. A request takes its
 * place before its body is read. It frees the place when its middlewares have ended (or a `requestTimeout` below has given them up) and its
 * answer has ended or its connection is closed.
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
