import type { DocumentPart, OpenapiDocument } from '../document.ts';

const nosniff: DocumentPart = {
  description: 'The content is of the type that `Content-Type` says.',
  required: true,
  schema: { type: 'string', enum: ['nosniff'] },
};

const requestId: DocumentPart = {
  description: 'The id of the request: the one that was sent as `X-Request-Id`, where that is harmless, or a new one.',
  required: true,
  schema: { type: 'string', maxLength: 128 },
};

/** Adds the headers that every response has. `givesIds` tells whether every request has an id. */
export function withCommonHeaders(document: OpenapiDocument, givesIds: boolean): OpenapiDocument {
  if (Object.keys(document.paths).length === 0) return document; // no response to add them to
  const common: DocumentPart = { 'X-Content-Type-Options': nosniff, ...(givesIds ? { 'X-Request-Id': requestId } : {}) };
  const references = Object.fromEntries(Object.keys(common).map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  const { headers = {}, responses = {}, ...components } = document.components;
  return {
    ...document,
    paths: mapParts(document.paths, (item) => mapParts(item as DocumentPart, (part) => addToOperation(part, references))),
    components: {
      ...components,
      headers: { ...headers, ...common },
      responses: mapParts(responses, (response) => addHeaders(response, references)),
    },
  } as OpenapiDocument;
}

/** Other members of a path item are kept. */
function addToOperation(part: unknown, references: DocumentPart): unknown {
  if (typeof part !== 'object' || part === null || !('responses' in part)) return part;
  return { ...part, responses: mapParts(part.responses as DocumentPart, (response) => addHeaders(response, references)) };
}

/** A reference is left alone: the response that it names has the headers. */
function addHeaders(response: unknown, references: DocumentPart): unknown {
  const { headers, ...rest } = response as { readonly headers?: DocumentPart };
  return '$ref' in rest ? response : { ...rest, headers: { ...headers, ...references } };
}

function mapParts(parts: DocumentPart, change: (part: unknown) => unknown): Record<string, DocumentPart> {
  return Object.fromEntries(Object.entries(parts).map(([key, part]) => [key, change(part) as DocumentPart]));
}
