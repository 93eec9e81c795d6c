import { problemsOf } from '../../middleware/exchange/descriptor.ts';
import type { ApiDescription } from '../api-description.ts';
import type { Components } from '../components.ts';
import type { DocumentPart, OpenapiDocument } from '../document.ts';
import { cacheControl, entityTag, ifNoneMatch } from './headers.ts';
import { problemResponses } from './problem-responses.ts';

/** The path of the description below the api's prefix. A resource cannot have it while the description is served. */
export const documentPath = 'openapi.json';

/** Describes the operation that serves the description. */
export function describeDocument(api: ApiDescription, components: Components): Pick<OpenapiDocument, 'paths' | 'tags'> {
  const problems = (api.beforeDocument ?? []).flatMap((middleware) => problemsOf(middleware, 'GET'));
  const headers = { ETag: entityTag(components), 'Cache-Control': cacheControl(components) };
  const content = { 'application/json': { schema: { type: 'object' } } };
  const operation: DocumentPart = {
    operationId: 'getOpenapiDocument',
    summary: 'Get this description',
    description: 'The OpenAPI description of the api.',
    tags: [documentPath],
    ...(problems.includes('unauthorized') ? {} : { security: [] }),
    parameters: [ifNoneMatch(components)],
    responses: {
      200: { description: 'The description.', headers, content },
      304: { description: 'The description is still the one that `If-None-Match` names.', headers },
      ...problemResponses(['method_not_allowed', ...problems], { api, components }),
    },
  };
  return {
    paths: { [`${api.prefix}/${documentPath}`]: { get: operation } },
    tags: [{ name: documentPath, description: 'The description of the api.' }],
  };
}
