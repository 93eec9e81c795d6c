import { ConfigurationError } from '../errors.ts';
import type { ResourceMiddleware } from './context.ts';

/**
 * Leaves the largest body, in bytes, in `ctx.bodyLimit`, for every `jsonBody` below it that has no `limit` of its own.
 *
 * @example
 * app.use(bodyLimit(10_000));
 */
export function bodyLimit(maxBody: number): ResourceMiddleware {
  checkBodyLimit(maxBody);
  return async function bodyLimit(ctx, next) {
    ctx.bodyLimit = maxBody;
    await next();
  };
}

/** Refuses a limit that is none. */
export function checkBodyLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1)
    throw new ConfigurationError('`limit` (`maxBody`) must be a whole number of bytes, at least 1.');
}
