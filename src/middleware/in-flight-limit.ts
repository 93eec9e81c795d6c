import { ConfigurationError, Problem } from '../errors.ts';
import type { ResourceMiddleware } from './context.ts';

/**
 * Lets at most `max` requests in at a time, from before the body is read until the answer has ended or its client has gone. The next one
 * gets 503 with `Retry-After: 1`.
 *
 * @example
 * app.use(inFlightLimit(200));
 */
export function inFlightLimit(max: number): ResourceMiddleware {
  if (!Number.isInteger(max) || max < 1) throw new ConfigurationError('`maxConcurrency` must be a whole number of at least 1.');
  let inFlight = 0;
  return async function inFlightLimit(ctx, next) {
    if (inFlight >= max) {
      throw new Problem('overloaded', 'The service is busy; try again in a second.', { headers: { 'retry-after': '1' } });
    }
    // A client that went away while a middleware above was busy has closed the answer already: nothing would ever count it down.
    if (!ctx.res.closed) {
      inFlight++;
      ctx.res.once('close', () => inFlight--);
    }
    await next();
  };
}
