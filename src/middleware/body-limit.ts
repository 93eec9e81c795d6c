import { aTimeLimit, aWholeNumber, byDefault, checkValue, defaultOf } from '../options.ts';
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
  timeout: number = defaultOf(bodyLimits.bodyTimeout),
  maxValues: number = defaultOf(bodyLimits.maxValues),
): ResourceMiddleware {
  checkValue('`maxBody`', maxBody, aBodyLimit);
  checkValue('`timeout`', timeout, aTimeLimit);
  checkValue('`maxValues`', maxValues, anAmountOfValues);
  return step({}, function bodyLimit(ctx) {
    ctx.bodyLimit = maxBody;
    ctx.bodyTimeout = timeout;
    ctx.bodyValues = maxValues;
  });
}

/** The legal values of the largest body. */
export const aBodyLimit = aWholeNumber(1, undefined, ' of bytes');

/** The legal numbers of values of a body. */
export const anAmountOfValues = aWholeNumber(1, undefined, ' of values');

/**
 * The limits of the bodies of an api, with their defaults. Each value costs the event loop one or two microseconds
 * until it is stored.
 */
export const bodyLimits = {
  maxBody: byDefault(1_048_576, aBodyLimit),
  maxValues: byDefault(25_000, anAmountOfValues),
  bodyTimeout: byDefault(30_000, aTimeLimit),
};
