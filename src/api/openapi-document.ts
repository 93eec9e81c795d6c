import { stringifyJson } from '../http/json.ts';
import { buildDocument } from '../openapi/build-document.ts';
import type { OpenapiDocument } from '../openapi/document.ts';
import type { Api } from './api.ts';

/**
 * The OpenAPI 3.1.0 description of an api, made anew: the caller may change it. It needs no database, and is there with `openapi: false` too.
 *
 * Bounds of 64-bit integers are bigint, which `JSON.stringify` refuses: for the exact text use `openapiText`. Throws `ConfigurationError`
 * where two different objects have one name.
 *
 * @example
 * openapiDocument(api).paths['/api/orders/{id}'];
 */
export function openapiDocument(api: Api): OpenapiDocument {
  return buildDocument(api.description);
}

/**
 * The OpenAPI description of an api as JSON text, for a file: the same as `openapiDocument(api)`, with every digit of its 64-bit bounds.
 *
 * @example
 * await writeFile('openapi.json', openapiText(api));
 */
export function openapiText(api: Api): string {
  return stringifyJson(openapiDocument(api));
}
