import { Problem, type ProblemCode, problemCodes } from '../errors.ts';
import type { Components } from './components.ts';
import type { Part } from './document.ts';

/** The name of the schema of problem documents: no object may have it. */
export const problemName = 'Problem';

/**
 * The responses of an operation that may fail in these ways, by status. Each says which codes it may carry, with the document that the
 * library itself would send as its example.
 */
export function problemResponses(codes: readonly ProblemCode[], components: Components): Record<string, Part> {
  const known = (Object.keys(problemCodes) as ProblemCode[]).filter((code) => codes.includes(code));
  const statuses = [...new Set(known.map((code) => problemCodes[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const own = known.filter((code) => problemCodes[code].status === status);
      return [String(status), components.refer('responses', own.map(toName).join('Or'), problemResponse(status, own, components))];
    }),
  );
}

function toName(code: ProblemCode): string {
  return code.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

function problemResponse(status: number, codes: readonly ProblemCode[], components: Components): Part {
  const header = headers[status];
  return {
    description: codes.map((code) => sentences[code] ?? `${problemCodes[code].title}.`).join(' '),
    ...(header ? { headers: { [header.name]: components.refer('headers', header.name, header.part) } } : {}),
    content: {
      'application/problem+json': {
        schema: components.refer('schemas', problemName, problemSchema),
        examples: Object.fromEntries(codes.map((code) => [code, { value: example(code) }])),
      },
    },
  };
}

function example(code: ProblemCode): Part {
  const { code: _, ...document } = new Problem(code).toDocument();
  return code === 'internal' ? document : { ...document, code };
}

const headers: Readonly<Record<number, { readonly name: string; readonly part: Part }>> = {
  401: { name: 'WWW-Authenticate', part: { description: 'How to authenticate (RFC 9110 §11.6.1).', schema: { type: 'string' } } },
  405: { name: 'Allow', part: { description: 'The methods of this path (RFC 9110 §10.2.1).', required: true, schema: { type: 'string' } } },
  503: {
    name: 'Retry-After',
    part: {
      description: 'Seconds to wait before trying again (RFC 9110 §10.2.3).',
      required: true,
      schema: { type: 'integer', minimum: 0 },
    },
  },
};

const sentences: { readonly [Code in ProblemCode]?: string } = {
  malformed_json: 'The body is not JSON in UTF-8, or is nested too deeply.',
  malformed_header: '`If-Match` is malformed.',
  invalid_query: 'A query parameter is unknown, is not allowed, is given twice or has a value that cannot be cast.',
  invalid_cursor: 'The cursor is damaged or belongs to another list.',
  unauthorized: 'Credentials are missing or not accepted.',
  forbidden: 'The caller may not do this.',
  not_found: 'There is no such record within the reach of the caller.',
  method_not_allowed: 'The path does not have this method.',
  duplicate_key: 'Another record has a value that must be unique.',
  precondition_failed: 'The record has changed since it was read, or has no revision to compare.',
  body_too_large: 'The body, or the record that it would make, is too large.',
  unsupported_media_type: 'The body is not sent as JSON in UTF-8 without a content or transfer coding.',
  validation_failed: 'A value is not acceptable; `errors` names every field.',
  precondition_required: '`If-Match` is missing.',
  internal: 'Something went wrong in the service.',
  overloaded: 'Too many requests are in flight, or the record is being changed too often.',
  database_unavailable: 'The database cannot be reached.',
  database_timeout: 'The query took longer than its time limit.',
  write_outcome_unknown: 'The database did not answer in time: nobody knows whether the write was done.',
};

/** RFC 9457, with the members of this library. Open: the RFC lets a service add members. */
const problemSchema: Part = {
  description: 'What went wrong (RFC 9457).',
  type: 'object',
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'The kind of problem; `about:blank` where the status says all.' },
    title: { type: 'string', description: 'The kind of problem, in a few words.' },
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'The status of the response.' },
    detail: { type: 'string', description: 'What is wrong with this request, in one sentence.' },
    request_id: { type: 'string', description: 'The id of the request, as in `X-Request-Id`, where the api gives ids.' },
    code: { type: 'string', enum: Object.keys(problemCodes), description: 'The kind of problem, for programs.' },
    errors: {
      type: 'array',
      description: 'What is wrong, field by field.',
      items: {
        type: 'object',
        properties: {
          field: { type: 'string', description: 'The dotted path of the field, or the query parameter; empty for the body as a whole.' },
          message: { type: 'string' },
        },
        required: ['field', 'message'],
      },
    },
  },
  required: ['type', 'title', 'status'],
};
