import { ConfigurationError } from '../errors.ts';
import { checkNames } from '../middleware/parts/check-options.ts';
import type { Guard } from '../middleware/parts/context.ts';
import { isObject } from '../model/value/plain-object.ts';
import type { RequestContext } from '../resource/request-context.ts';

/** Who may see the OpenAPI description of an api, where that is not everybody. */
export interface OpenapiOptions<Principal> {
  /** Asked behind `authenticate`, before the description and before every file of the docs page: each must return true. */
  readonly guards: readonly Guard<RequestContext<Principal>>[];
}

/** The guards of the description; undefined where it is not served, and none where it is open to everybody. */
export function readDocumentGuards(openapi: unknown): readonly Guard<never>[] | undefined {
  if (typeof openapi === 'boolean') return openapi ? [] : undefined;
  if (!isObject(openapi)) throw new ConfigurationError('`openapi` must be true, false or `{ guards: […] }`.');
  checkNames('option', Object.keys(openapi), ['guards'], '`openapi`');
  const { guards } = openapi;
  if (!Array.isArray(guards) || guards.length === 0 || guards.some((guard) => typeof guard !== 'function'))
    throw new ConfigurationError('`guards` of `openapi` must be a list of functions, of one at least.');
  return guards;
}
