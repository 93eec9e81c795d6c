import { ConfigurationError } from '../errors.ts';
import type { Guard } from '../middleware/parts/context.ts';
import { isObject } from '../model/value/plain-object.ts';
import { aFunction, anArrayOf, checkOptions, required } from '../options.ts';
import type { RequestContext } from '../resource/request-context.ts';

/** Who may see the OpenAPI description of an api, where that is not everybody. */
export interface OpenapiOptions<Principal> {
  /** Asked behind `authenticate`, before the description and before every file of the docs page: each must return true. */
  readonly guards: readonly Guard<RequestContext<Principal>>[];
}

const [isArrayOfFunctions] = anArrayOf('functions', aFunction[0]);
const legal = {
  guards: required([(guards) => isArrayOfFunctions(guards) && (guards as unknown[]).length > 0, 'an array of functions, of one at least']),
};

/** The guards of the description; undefined where it is not served, and none where it is open to everybody. */
export function readDocumentGuards(openapi: unknown): readonly Guard<never>[] | undefined {
  if (typeof openapi === 'boolean') return openapi ? [] : undefined;
  if (!isObject(openapi)) throw new ConfigurationError('`openapi` must be true, false or `{ guards: […] }`.');
  checkOptions(openapi, legal, '`openapi`');
  return openapi['guards'] as readonly Guard<never>[];
}
