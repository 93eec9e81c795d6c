import { stringifyJson } from '../http/json.ts';
import type { Api } from './api.ts';
import { openapiDocument } from './openapi-document.ts';

/**
 * The OpenAPI description of an api as JSON text, for a file: the same as `openapiDocument(api)`, with every digit of its 64-bit bounds.
 *
 * @example
 * await writeFile('openapi.json', openapiText(api));
 */
export function openapiText(api: Api): string {
  return stringifyJson(openapiDocument(api));
}
