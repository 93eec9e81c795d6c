import { stringifyJson } from '../http/json.ts';
import { buildDocument } from '../openapi/build-document.ts';
import type { OpenapiDocument } from '../openapi/document.ts';
import type { Api } from './api.ts';
import { checkApi } from './copies.ts';

/**
 * Returns the OpenAPI 3.1.0 description of an api: a new object, which the caller may change. It needs no database, and
 * works with `openapi: false` too.
 *
 * Bounds of 64-bit integers are of type bigint, which `JSON.stringify` refuses: use `openapiText` for JSON. Throws a
 * `ConfigurationError` if two different objects have the same name.
 *
 * @example
 * openapiDocument(api).paths['/api/orders/{id}'];
 */
export function openapiDocument(api: Api): OpenapiDocument {
  checkApi(api, '`openapiDocument`');
  return buildDocument(api.description);
}

/**
 * Returns the OpenAPI description of an api as JSON: the same as `openapiDocument(api)`, with every digit of its 64-bit
 * bounds.
 *
 * @example
 * await writeFile('openapi.json', openapiText(api));
 */
export function openapiText(api: Api): string {
  return stringifyJson(openapiDocument(api));
}
