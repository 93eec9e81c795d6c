import { coarseTimer } from '../mongo/driver/coarse-timer.ts';
import { aTimeLimit, checkValue } from '../options.ts';
import type { ResourceMiddleware } from './exchange/context.ts';
import { described } from './exchange/descriptor.ts';
import { exchangeOf } from './exchange/exchange.ts';

/**
 * Gives a request up if its middlewares have not ended after `ms` milliseconds, including the time to read its body. A
 * guard, a hook or a handler that never ends cannot hold a place in flight. `ctx.signal` is aborted, running commands
 * end, and `ctx.load`, `ctx.save` and all later steps refuse to begin.
 *
 * The answer is 503 `request_given_up` if nothing was written, 504 `write_outcome_unknown` if a write was handed to the
 * database, and 500 if hooks of `after` are running, because the operation itself is done. Place it below
 * `inFlightLimit`.
 *
 * @example
 * app.use(inFlightLimit(200)).use(requestTimeout(60_000));
 */
export function requestTimeout(ms: number): ResourceMiddleware {
  checkValue('`requestTimeout`', ms, aTimeLimit);
  return described({ problems: ['request_given_up'] }, function requestTimeout(ctx, next) {
    const exchange = exchangeOf(ctx);
    return new Promise((resolve, reject) => {
      const alarm = coarseTimer.after(ms, () => reject(exchange.giveUp()));
      next().then(
        () => {
          alarm.cancel();
          resolve();
        },
        (error) => {
          alarm.cancel();
          reject(error);
        },
      );
    });
  });
}
