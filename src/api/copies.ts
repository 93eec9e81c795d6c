import { ConfigurationError } from '../errors.ts';
import { hasMark, markOf } from '../marks.ts';
import type { Api } from './api.ts';

/** The apis of all copies of the library have it. Its value tells the copies apart. */
const copy = markOf('api');
const thisCopy = Symbol('this copy');

/** Marks an api as one of this copy of the library. */
export function markApi(api: Api): Api {
  return Object.assign(api, { [copy]: thisCopy });
}

/** Whether a value is an api, of any copy of the library. */
export function isApi(value: unknown): value is Api {
  return hasMark(value, copy);
}

/** Whether this copy of the library has made an api. */
export function isOfThisCopy(api: Api): boolean {
  return Reflect.get(api, copy) === thisCopy;
}

/**
 * Refuses what is no api, and an api of another copy of the library: what is compiled in an api is only for the
 * functions of its own copy, which may have another version. Throws a {@link ConfigurationError} that names the
 * function.
 */
export function checkApi(api: unknown, name: string): void {
  if (!isApi(api)) throw new ConfigurationError(`${name} needs an api, which \`api()\` of a service returns.`);
  if (!isOfThisCopy(api))
    throw new ConfigurationError(
      `${name} needs an api of its own copy of koa-mongo-resource, and another copy has made this one: \`npm ls koa-mongo-resource\` shows them.`,
    );
}
