import { Problem, type ProblemCode, problemCodes } from '../../errors.ts';
import { patchTypes } from '../../http/media-type.ts';
import { rules } from '../../rules.ts';
import type { ApiDescription } from '../api-description.ts';
import { type Components, problemName } from '../components.ts';
import type { DocumentPart } from '../document.ts';

/** The inputs of the description of an operation's problems. */
interface ProblemContext {
  readonly api: Pick<ApiDescription, 'writesProblems' | 'problems'>;
  readonly components: Components;
}

/**
 * The responses of an operation that can answer these problems and those of the application, by status. Each names its
 * codes, with the library's own document of each as an example.
 */
export function problemResponses(codes: readonly ProblemCode[], context: ProblemContext): Record<string, DocumentPart> {
  const known = (Object.keys(problemCodes) as ProblemCode[]).filter((code) => codes.includes(code) || context.api.problems.includes(code));
  const statuses = [...new Set(known.map((code) => problemCodes[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const own = known.filter((code) => problemCodes[code].status === status);
      return [
        String(status),
        context.components.refer('responses', own.map(toName).join('Or'), () => problemResponse(status, own, context)),
      ];
    }),
  );
}

function toName(code: ProblemCode): string {
  return code.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

function problemResponse(status: number, codes: readonly ProblemCode[], { api, components }: ProblemContext): DocumentPart {
  const ofStatus = codes.includes('idempotency_in_progress') ? mayRetry : headers[status];
  const own = Object.entries(ofStatus ?? {}).map(([name, part]) => [
    name,
    components.refer('headers', part.required === false ? `Optional${name}` : name, part),
  ]);
  const description = codes.map((code) => sentences[code] ?? `${problemCodes[code].title}.`).join(' ');
  return {
    description: api.writesProblems ? `${description} The body is of the application's own making.` : description,
    headers: { ...Object.fromEntries(own), 'Cache-Control': components.refer('headers', 'NoStore', noStore) },
    ...(api.writesProblems ? {} : { content: problemContent(codes, components) }),
  };
}

function problemContent(codes: readonly ProblemCode[], components: Components): DocumentPart {
  return {
    'application/problem+json': {
      schema: referProblem(components),
      examples: Object.fromEntries(codes.map((code) => [code, { value: examples[code] }])),
    },
  };
}

/** Publishes the schema of a problem document, and returns the reference to it. */
export function referProblem(components: Components): DocumentPart {
  return components.refer('schemas', problemName, problemSchema);
}

/** Made once: every operation shows several of them. */
const examples: Readonly<Record<string, DocumentPart>> = Object.fromEntries(
  Object.keys(problemCodes).map((code) => [code, { ...new Problem({ code: code as ProblemCode }).toDocument() }]),
);

const retryAfter: Readonly<Record<string, DocumentPart>> = {
  'Retry-After': {
    description: 'Seconds to wait before trying again (RFC 9110 §10.2.3).',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
};

/** For a status that not all of its problems have it with. */
const mayRetry: Readonly<Record<string, DocumentPart>> = { 'Retry-After': { ...retryAfter['Retry-After'], required: false } };

const headers: Readonly<Record<number, Readonly<Record<string, DocumentPart>>>> = {
  401: { 'WWW-Authenticate': { description: 'How to authenticate (RFC 9110 §11.6.1).', schema: { type: 'string' } } },
  405: { Allow: { description: 'The methods of this path (RFC 9110 §10.2.1).', required: true, schema: { type: 'string' } } },
  415: {
    Accept: {
      description: 'What is accepted (RFC 9110 §12.5.1).',
      required: true,
      schema: { type: 'string' },
      example: 'application/json',
    },
    'Accept-Patch': { description: 'What a PATCH accepts (RFC 5789 §3.1).', schema: { type: 'string' }, example: patchTypes },
    'Accept-Encoding': {
      description: 'That no content coding is accepted, where that was the reason (RFC 9110 §12.5.3).',
      schema: { type: 'string' },
      example: 'identity',
    },
  },
  429: mayRetry,
  503: retryAfter,
  504: retryAfter,
};

/** The `Cache-Control` of an answer that must not be kept. */
export const noStore: DocumentPart = {
  description: 'Nobody keeps the answer (RFC 9111 §5.2.2.5).',
  required: true,
  schema: { type: 'string' },
  example: 'no-store',
};

const sentences: { readonly [Code in ProblemCode]?: string } = {
  malformed_json: 'The body is not JSON in UTF-8, or is nested too deeply.',
  malformed_header: '`If-Match`, `If-None-Match` or `Idempotency-Key` is malformed.',
  invalid_query: 'A query parameter is unknown, is not allowed, is given twice or has a value that cannot be cast.',
  invalid_cursor: 'The cursor is damaged or belongs to another list.',
  precondition_not_supported: 'The request addresses many records and has `If-Match` or `If-None-Match`.',
  unauthorized: 'Credentials are missing or not accepted.',
  forbidden: 'The caller may not do this.',
  cross_origin: 'A page of another origin has sent it.',
  not_found: 'There is no such record within the reach of the caller.',
  method_not_allowed: 'The path does not have this method.',
  idempotency_key_required: '`Idempotency-Key` is missing.',
  idempotency_in_progress: 'Another request with the same `Idempotency-Key` has not ended yet.',
  not_kept: 'A value that the record had at that revision was not kept, or the revision lies too far back.',
  idempotency_key_reused: 'The `Idempotency-Key` has come with another request.',
  replica_set_required: 'The database of the service has no transactions and no change streams.',
  duplicate_key: 'Another record has a value that must be unique.',
  precondition_failed: 'The record is not one that `If-Match` names, or one that `If-None-Match` names.',
  body_timeout: 'The body did not arrive in time.',
  body_too_large: 'The body, the record that it would make, or the answer is too large.',
  unsupported_media_type: 'The body is not sent as JSON in UTF-8 without a content or transfer coding.',
  validation_failed: 'A value is not acceptable; `errors` names every field.',
  too_many_matches: 'More records match than the request may read or write; nothing was written.',
  precondition_required: '`If-Match` is missing.',
  too_many_requests: 'The client has too many requests in flight, or has sent too many.',
  internal: 'Something went wrong in the service.',
  overloaded: 'Too many requests are in flight.',
  request_given_up: 'The request took too long and was given up; nothing was written.',
  database_unavailable: 'The database is not available; nothing was written, and nothing will be.',
  write_conflict: 'Other requests were changing the same records until the time of this one was over; nothing was written.',
  write_timeout: 'The request has used up its time in the database; nothing was written.',
  database_timeout: 'The query took longer than its time limit.',
  write_outcome_unknown: 'The write was sent to the database, and its outcome is not known.',
};

/**
 * Stable names, to which an application may add its own. Each part has its type: some generators do not look at the
 * type beside an `anyOf`.
 */
function openList(names: readonly string[], description: string): DocumentPart {
  return {
    description,
    anyOf: [
      { type: 'string', enum: names },
      { type: 'string', pattern: '^\\w+$' },
    ],
  };
}

/**
 * A problem document (RFC 9457) with the members of this library. It is open, because the RFC lets a service add
 * members.
 */
const problemSchema: DocumentPart = {
  description: 'What went wrong (RFC 9457).',
  type: 'object',
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'The kind of problem; `about:blank` where the status says all.' },
    title: { type: 'string', description: 'The kind of problem, in a few words.' },
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'The status of the response.' },
    detail: { type: 'string', description: 'What is wrong with this request, in one sentence.' },
    operation: { type: 'integer', minimum: 0, description: 'The index of the operation of a batch that it is about.' },
    request_id: { type: 'string', description: 'The id of the request, as in `X-Request-Id`, where the api gives ids.' },
    code: openList(Object.keys(problemCodes), 'The kind of problem, for programs: a code of the service, or one of the library.'),
    errors: {
      type: 'array',
      description: 'What is wrong, field by field.',
      items: {
        type: 'object',
        properties: {
          field: { type: 'string', description: 'The dotted path of the field, or the query parameter; empty for the body as a whole.' },
          message: { type: 'string', description: 'What is wrong, as a sentence that follows the field.' },
          rule: openList(Object.keys(rules), 'The rule that is broken, for programs: one of the service, or one of the library.'),
          params: {
            type: 'object',
            description: 'What the sentence speaks of, such as `{"limit": 1}`, where the rule alone does not say it.',
          },
        },
        required: ['field', 'message', 'rule'],
      },
    },
  },
  required: ['type', 'title', 'status'],
};
