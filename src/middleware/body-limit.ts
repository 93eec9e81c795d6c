import { checkTimeLimit } from '../mongo/driver/time-limit.ts';
import { aWholeNumber, checkValue } from '../options.ts';
import type { ResourceMiddleware } from './exchange/context.ts';
import { step } from './exchange/step.ts';

/**
 * Sets the largest body in bytes (`ctx.bodyLimit`), the time that a body may take in milliseconds (`ctx.bodyTimeout`)
 * and the most values that its JSON may have (`ctx.bodyValues`), for every `jsonBody` below it that has no `limit`,
 * `timeout` or `maxValues` of its own.
 *
 * @example
 * app.use(bodyLimit(10_000, 5_000));
 */
export function bodyLimit(
  maxBody: number,
  timeout: number = defaultBodyTimeout,
  maxValues: number = defaultBodyValues,
): ResourceMiddleware {
  checkBodyLimit(maxBody);
  checkTimeLimit(timeout, 'timeout');
  checkBodyValues(maxValues);
  return step({}, function bodyLimit(ctx) {
    ctx.bodyLimit = maxBody;
    ctx.bodyTimeout = timeout;
    ctx.bodyValues = maxValues;
  });
}

/** The default time that a body may take, in milliseconds. */
export const defaultBodyTimeout = 30_000;

/**
 * The default number of values that a body may have: each costs the event loop one or two microseconds until it is
 * stored.
 */
export const defaultBodyValues = 25_000;

/** The legal numbers of values of a body. */
export const anAmountOfValues = aWholeNumber(1, undefined, ' of values');

/** Checks the number of values that a body may have. */
export function checkBodyValues(maxValues: number): void {
  checkValue('`maxValues`', maxValues, anAmountOfValues);
}

/** The legal values of the largest body. */
export const aBodyLimit = aWholeNumber(1, undefined, ' of bytes');

/** Checks the largest body of an api. */
export function checkBodyLimit(limit: number): void {
  checkValue('`maxBody`', limit, aBodyLimit);
}
