import type { ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { problemsOf } from '../../middleware/exchange/descriptor.ts';
import type { ApiDescription, PartOfDocument } from '../../openapi/api-description.ts';
import type { Components } from '../../openapi/components.ts';
import type { DocumentPart } from '../../openapi/document.ts';
import { noStore, problemResponses } from '../../openapi/operations/problem-responses.ts';
import type { ServedResource } from '../../resource/serve-resource.ts';
import { batchMethods, mostRefs, pathPattern } from './read-batch.ts';

/** The path of batches below the prefix of the api. A resource cannot have it while they are served. */
export const batchPath = 'batch';

/** What a batch runs through. */
interface DescribedBatch {
  readonly chain: readonly ResourceMiddleware[];
  readonly maxOperations: number;
  /** The resources whose operations it may have. */
  readonly resources: readonly ServedResource[];
}

/** Describes the operation that carries out several others. */
export function describeBatch(api: ApiDescription, batch: DescribedBatch, components: Components): PartOfDocument {
  const { chain, maxOperations, resources } = batch;
  const members = resources.flatMap(({ rows }) => rows.filter(({ isMember }) => isMember));
  const problems = [
    ...chain.flatMap((middleware) => problemsOf(middleware, 'POST')),
    ...members.flatMap(({ method, chain }) => chain().flatMap((middleware) => problemsOf(middleware, method))),
  ];
  const parameters = api.parametersOf(chain, components);
  const operation: DocumentPart = {
    operationId: 'runBatch',
    summary: 'Carry out several operations in one transaction',
    description:
      'All operations are carried out, one after the other, or none: then the problem is that of the first one that failed, and `operation` is its index.',
    tags: [batchPath],
    ...(problems.includes('unauthorized') || api.security.length === 0 ? {} : { security: [...api.security, {}] }),
    ...(parameters.length > 0 ? { parameters } : {}),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: components.refer('schemas', 'BatchRequest', bodySchema(maxOperations)) } },
    },
    responses: {
      200: {
        description: 'All of them are done.',
        headers: { 'Cache-Control': components.refer('headers', 'NoStore', noStore) },
        content: { 'application/json': { schema: components.refer('schemas', 'BatchAnswer', answerSchema) } },
      },
      ...problemResponses(['method_not_allowed', ...problems], { api, components }),
    },
  };
  return {
    paths: { [`${api.prefix}/${batchPath}`]: { post: operation } },
    tags: [{ name: batchPath, description: 'Several operations in one transaction.' }],
  };
}

function bodySchema(maxOperations: number): DocumentPart {
  return {
    type: 'object',
    properties: { operations: { type: 'array', minItems: 1, maxItems: maxOperations, items: operationSchema } },
    required: ['operations'],
    additionalProperties: false,
  };
}

const operationSchema: DocumentPart = {
  type: 'object',
  properties: {
    method: { type: 'string', enum: [...batchMethods] },
    path: {
      type: 'string',
      pattern: pathPattern,
      maxLength: 8_000,
      description:
        'The path of the operation below the prefix of the api. `{0}` as a segment is the id of the record that operation 0 creates.',
      examples: ['/orders/{0}'],
    },
    body: { type: 'object', description: 'The body of the operation.' },
    if_match: { type: 'string', description: 'The `If-Match` of the operation.', examples: ['"0"'] },
    refs: {
      type: 'object',
      description: 'Where ids of created records are put into the body: indexes of earlier operations, by JSON Pointers (RFC 6901).',
      maxProperties: mostRefs,
      additionalProperties: { type: 'integer', minimum: 0 },
      examples: [{ '/orderId': 0 }],
    },
  },
  required: ['method', 'path'],
  additionalProperties: false,
};

const answerSchema: DocumentPart = {
  type: 'object',
  properties: {
    data: {
      type: 'array',
      description: 'The answers in the order of the operations.',
      items: {
        type: 'object',
        properties: {
          status: {
            type: 'integer',
            description: 'The status of the answer; 500 if the operation is done, but a function that was to run after it has failed.',
          },
          etag: { type: 'string', description: 'The revision of the record in double quotes.', examples: ['"0"'] },
          location: { type: 'string', format: 'uri-reference', description: 'The path of a new record.' },
          body: { description: 'The body of the answer, if it has one.' },
        },
        required: ['status'],
      },
    },
  },
  required: ['data'],
};
