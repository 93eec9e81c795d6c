import { checkTimeLimit } from '../mongo/driver/time-limit.ts';
import { aWholeNumber, checkValue } from '../options.ts';
import type { ResourceMiddleware } from './parts/context.ts';

/**
 * Sets the largest body in bytes (`ctx.bodyLimit`) and the time that a body may take in milliseconds (`ctx.bodyTimeout`) for every
 * `jsonBody` below it that has no `limit` or `timeout` of its own.
 *
 * @example
 * app.use(bodyLimit(10_000, 5_000));
 */
export function bodyLimit(maxBody: number, timeout: number = defaultBodyTimeout): ResourceMiddleware {
  checkBodyLimit(maxBody);
  checkTimeLimit(timeout, 'timeout');
  return async function bodyLimit(ctx, next) {
    ctx.bodyLimit = maxBody;
    ctx.bodyTimeout = timeout;
    await next();
  };
}

/** The default time that a body may take, in milliseconds. */
export const defaultBodyTimeout = 30_000;

/** The legal values of the largest body. */
export const aBodyLimit = aWholeNumber(1, undefined, ' of bytes');

/** Checks the largest body of an api. */
export function checkBodyLimit(limit: number): void {
  checkValue('`maxBody`', limit, aBodyLimit);
}
