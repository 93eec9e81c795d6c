import { checkTimeLimit } from '../mongo/driver/time-limit.ts';
import { aWholeNumber, checkValue } from '../options.ts';
import type { ResourceMiddleware } from './parts/context.ts';

/**
 * Leaves the largest body, in bytes, in `ctx.bodyLimit`, and how long one may take, in milliseconds, in `ctx.bodyTimeout`: for every `jsonBody`
 * below it that has no `limit` or `timeout` of its own.
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

/** How long a body may take, in milliseconds, where nothing else is said. */
export const defaultBodyTimeout = 30_000;

/** What is legal for the largest body. */
export const aBodyLimit = aWholeNumber(1, undefined, ' of bytes');

/** Checks the largest body of an api. */
export function checkBodyLimit(limit: number): void {
  checkValue('`maxBody`', limit, aBodyLimit);
}
