import { coarseTimer } from '../mongo/driver/coarse-timer.ts';
import { checkTimeLimit } from '../mongo/driver/time-limit.ts';
import { canAnswer } from './parts/can-answer.ts';
import type { ResourceMiddleware } from './parts/context.ts';
import { exchangeOf } from './parts/exchange.ts';

/**
 * Gives a request up when what runs for it has not ended after `ms` milliseconds, the reading of its body included: a guard, a hook or a
 * handler that never ends cannot hold a place in flight. `ctx.signal` is aborted, commands end, and neither `ctx.load` nor `ctx.save` nor any
 * later step begins.
 *
 * The answer is 503 `request_given_up` where nothing was written; 504 `write_outcome_unknown` where a write was handed to the database; 500
 * while hooks of `after` run, because the operation itself is done. Stands below `inFlightLimit`.
 *
 * @example
 * app.use(inFlightLimit(200)).use(requestTimeout(60_000));
 */
export function requestTimeout(ms: number): ResourceMiddleware {
  checkTimeLimit(ms, 'requestTimeout');
  return canAnswer(['request_given_up'], function requestTimeout(ctx, next) {
    const exchange = exchangeOf(ctx);
    return new Promise((resolve, reject) => {
      const alarm = coarseTimer.after(ms, () => reject(exchange.giveUp()));
      next()
        .then(resolve, reject)
        .finally(() => alarm.cancel());
    });
  });
}
