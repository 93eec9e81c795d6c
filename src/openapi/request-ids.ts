import type { OpenapiDocument, Part } from './document.ts';

const name = 'X-Request-Id';
const header: Part = {
  description: 'The id of the request: the one that was sent as `X-Request-Id`, where that is harmless, or a new one.',
  required: true,
  schema: { type: 'string', maxLength: 128 },
};

/** The description of an api that gives every request an id: each of its responses has the header. */
export function withRequestIds(document: OpenapiDocument): OpenapiDocument {
  const { headers = {}, responses = {}, ...components } = document.components;
  return {
    ...document,
    paths: mapParts(document.paths, (item) => mapParts(item as Part, addToOperation)),
    components: { ...components, headers: { ...headers, [name]: header }, responses: mapParts(responses, addHeader) },
  };
}

/** What else stands in a path item stays. */
function addToOperation(part: unknown): unknown {
  if (typeof part !== 'object' || part === null || !('responses' in part)) return part;
  return { ...part, responses: mapParts(part.responses as Part, addHeader) };
}

/** A reference leads to a response that has it. */
function addHeader(response: unknown): unknown {
  const { headers, ...rest } = response as { readonly headers?: Part };
  return '$ref' in rest ? response : { ...rest, headers: { ...headers, [name]: { $ref: `#/components/headers/${name}` } } };
}

function mapParts(parts: Part, change: (part: unknown) => unknown): Record<string, Part> {
  return Object.fromEntries(Object.entries(parts).map(([key, part]) => [key, change(part) as Part]));
}
