import { markInstances } from './marks.ts';
import { reasonPhrase } from './reason-phrases.ts';
import { type FieldError, type FieldErrorInput, Invalid, toFieldError } from './rules.ts';

/**
 * Every problem that the library answers with, by its stable code (RFC 9457). Clients switch on the code;
 * `docs/reference/errors.md` has an anchor for each. An entry with `blank: true` says no more than its status, so its
 * `type` is `about:blank` (RFC 9457 §4.2.1).
 */
export const problemCodes = {
  malformed_json: { status: 400, title: 'Malformed JSON' },
  malformed_header: { status: 400, title: 'Malformed header' },
  invalid_query: { status: 400, title: 'Invalid query' },
  invalid_cursor: { status: 400, title: 'Invalid cursor' },
  precondition_not_supported: { status: 400, title: 'Precondition not supported' },
  idempotency_key_required: { status: 400, title: 'Idempotency-Key required' },
  unauthorized: { status: 401, title: 'Unauthorized', blank: true },
  forbidden: { status: 403, title: 'Forbidden', blank: true },
  cross_origin: { status: 403, title: 'Cross-origin request refused' },
  not_found: { status: 404, title: 'Not Found', blank: true },
  method_not_allowed: { status: 405, title: 'Method Not Allowed', blank: true },
  duplicate_key: { status: 409, title: 'Duplicate key' },
  still_referenced: { status: 409, title: 'Still referenced' },
  too_many_references: { status: 409, title: 'Too many records refer to it' },
  not_kept: { status: 409, title: 'State not kept' },
  idempotency_in_progress: { status: 409, title: 'Request with this Idempotency-Key in progress' },
  body_timeout: { status: 408, title: 'Request Timeout', blank: true },
  precondition_failed: { status: 412, title: 'Precondition Failed', blank: true },
  body_too_large: { status: 413, title: 'Content Too Large', blank: true },
  unsupported_media_type: { status: 415, title: 'Unsupported Media Type', blank: true },
  validation_failed: { status: 422, title: 'Validation failed' },
  too_many_matches: { status: 422, title: 'Too many records match' },
  idempotency_key_reused: { status: 422, title: 'Idempotency-Key reused' },
  precondition_required: { status: 428, title: 'Precondition Required', blank: true },
  too_many_requests: { status: 429, title: 'Too Many Requests', blank: true },
  internal: { status: 500, title: 'Internal Server Error', blank: true },
  replica_set_required: { status: 501, title: 'Replica set required' },
  overloaded: { status: 503, title: 'Too many requests in flight' },
  request_given_up: { status: 503, title: 'Request took too long' },
  shutting_down: { status: 503, title: 'Shutting down' },
  too_old: { status: 503, title: 'Stream too old' },
  database_unavailable: { status: 503, title: 'Database unavailable' },
  write_conflict: { status: 503, title: 'Other writes were faster' },
  write_timeout: { status: 503, title: 'Write takes too long' },
  database_timeout: { status: 504, title: 'Database time limit passed' },
  write_outcome_unknown: { status: 504, title: 'Outcome of the write unknown' },
} as const satisfies Record<string, { status: number; title: string; blank?: true }>;

/** The stable code of a problem that the library answers with: a key of {@link problemCodes}. */
export type ProblemCode = keyof typeof problemCodes;

/** The options of a {@link Problem} apart from its status and its code. */
interface ProblemDetails {
  /**
   * A short summary of the kind of problem, the same in every answer.
   * @default the title of the library's code, or the reason phrase of the status
   */
  readonly title?: string;
  /** A sentence for the client about this request, with a hint if there is one. @default none */
  readonly detail?: string | undefined;
  /** The errors of single fields. @default none */
  readonly errors?: readonly FieldErrorInput[];
  /** Response headers of the answer. @default none; `retry-after: 1` for 503 and 504 */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * A URI that identifies the kind of problem, preferably one that leads to its documentation (RFC 9457 §3.1.1).
   * @default `urn:problem:app:<code>`; `about:blank` if the code is the status's own
   */
  readonly type?: string;
  /** The error that led to this problem: for `app.on('error')` and logs. Clients never see it. @default none */
  readonly cause?: unknown;
}

/**
 * The kind of a {@link Problem}: a status, with a code of the application if there is one; or a code of the library,
 * which has a status.
 */
type ProblemKind =
  | {
      /** From 400 to 599. */
      readonly status: number;
      /**
       * The code that programs switch on, in snake_case, such as `ticket_taken`.
       *
       * @default the status's own, such as `conflict`
       */
      readonly code?: string;
    }
  | { readonly status?: number; readonly code: ProblemCode };

/** The options of a {@link Problem}. */
export type ProblemOptions = ProblemDetails & ProblemKind;

/** A problem document (RFC 9457), as it is sent with content type `application/problem+json`. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  /** Absent from a 500. */
  readonly code?: string;
  readonly errors?: readonly FieldError[];
  /** The index of the operation of a batch that this is about. */
  readonly operation?: number;
  /** The id of the request, if `requestId()` gave it one. */
  readonly request_id?: string;
}

/**
 * An error that is meant for the client. Throw it from a handler, a hook, a guard, or any middleware below
 * `problems()`, which answers with its problem document. The document of a 500 shows only the status.
 *
 * `instanceof Problem` is also true for a problem of another copy of the library.
 *
 * Clients read `detail`: keep the messages of other libraries and the names of private fields out of it.
 *
 * Throws a TypeError if the status is not a whole number from 400 to 599 or not the one of the library's code, if the
 * code is not in snake_case, or if a header cannot be sent.
 *
 * @example
 * throw new Problem({ status: 409, code: 'ticket_taken', title: 'Ticket taken', detail: 'bob has taken the ticket.' });
 * throw new Problem({ code: 'not_found', detail: 'There is no such order.' });
 */
export class Problem extends Error {
  override readonly name: string = 'Problem';
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly title: string;
  readonly detail: string | undefined;
  readonly errors: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Tells Koa and http-errors that the client may see the message. */
  readonly expose = true;

  constructor(options: ProblemOptions) {
    const { detail, errors, headers = {} } = options;
    const { status, code, title, type } = kindOf(options);
    super(detail ?? title, 'cause' in options ? { cause: options.cause } : undefined);
    checkHeaders(headers);
    this.status = status;
    this.code = code;
    this.type = type;
    this.title = title;
    this.detail = detail;
    this.errors = errors?.map(toFieldError);
    this.headers = [503, 504].includes(status) ? withRetryAfter(headers) : headers;
  }

  /** The problem document of this error. The document of a 500 shows only the status. */
  toDocument(): ProblemDocument {
    const { type, title, status, detail, code, errors } = this;
    if (status === problemCodes.internal.status) return { type: 'about:blank', title: problemCodes.internal.title, status };
    return { type, title, status, ...(detail === undefined ? {} : { detail }), code, ...(errors === undefined ? {} : { errors }) };
  }
}

/** Whether a value is a {@link Problem}, of any copy of the library. */
export const isProblem = markInstances(Problem, 'Problem');

function kindOf({
  status: givenStatus,
  code: givenCode,
  title,
  type,
}: ProblemOptions): Pick<Problem, 'status' | 'code' | 'title' | 'type'> {
  const known = givenCode !== undefined && Object.hasOwn(problemCodes, givenCode) ? problemCodes[givenCode as ProblemCode] : undefined;
  const status = givenStatus ?? known?.status;
  if (status === undefined || !Number.isInteger(status) || status < 400 || status > 599)
    throw new TypeError(`\`status\` of a Problem must be a whole number from 400 to 599; it is ${String(status)}.`);
  if (known && known.status !== status)
    throw new TypeError(`\`status\` of a Problem with the library's code \`${givenCode}\` must be ${known.status}.`);
  const phrase = reasonPhrase(status);
  const codeOfStatus = phrase.toLowerCase().replaceAll("'", '').replaceAll(' ', '_');
  if (givenCode !== undefined && !/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(givenCode))
    throw new TypeError(`\`code\` of a Problem must be in snake_case, such as \`ticket_taken\`; it is \`${String(givenCode)}\`.`);
  const code = givenCode ?? codeOfStatus;
  const isBlank = known ? 'blank' in known : code === codeOfStatus;
  const urn = `urn:problem:${known ? 'koa-mongo-resource' : 'app'}:${code}`;
  return { status, code, title: title ?? known?.title ?? phrase, type: type ?? (isBlank ? 'about:blank' : urn) };
}

/** Headers that say how the problem document is sent: only the writer of the document sets them. */
const documentHeaders = new Set(['content-type', 'content-length', 'content-encoding', 'transfer-encoding', 'trailer']);

/** Refuses names that are not tokens, and values that a header cannot hold (RFC 9110 §5). */
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      throw new TypeError(`\`headers\` of a Problem must have valid header names; \`${name}\` is not one.`);
    if (documentHeaders.has(name.toLowerCase()))
      throw new TypeError(`\`headers\` of a Problem must not have \`${name}\`: the problem document sets it.`);
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new TypeError(`\`${name}\` of \`headers\` of a Problem must be a Latin-1 string without control characters.`);
  }
}

/** Adds `retry-after: 1` unless the headers have one: every 503 and 504 says when to try again. */
function withRetryAfter(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'retry-after') ? headers : { ...headers, 'retry-after': '1' };
}

/**
 * 401: credentials are missing or invalid. `headers` usually have `www-authenticate`.
 *
 * @example
 * throw new Unauthorized('The token has expired.', { 'www-authenticate': 'Bearer error="invalid_token"' });
 */
export class Unauthorized extends Problem {
  override readonly name = 'Unauthorized';

  constructor(detail = 'Credentials are required.', headers: Readonly<Record<string, string>> = {}) {
    super({ code: 'unauthorized', detail, headers });
  }
}

markInstances(Unauthorized, 'Unauthorized');

/** 404. It does not say whether the record exists out of reach. */
export function notFound(): Problem {
  return new Problem({ code: 'not_found', detail: 'There is no such record.' });
}

/** The 404 for a path without an operation. */
export function noSuchPath(): Problem {
  return new Problem({ code: 'not_found', detail: 'There is nothing at this path.' });
}

/** 422 with all errors of a body. */
export function validationFailed(errors: readonly FieldError[]): Problem {
  const fields = errors.length === 1 ? 'One field is' : `${errors.length} fields are`;
  return new Problem({ code: 'validation_failed', detail: `${fields} not acceptable; see "errors".`, errors });
}

/** 422 for a body that is not a JSON object. */
export function bodyNoObject(): Problem {
  return validationFailed([new Invalid('type', 'the body must be a JSON object', { type: 'object' }).at('')]);
}

/** 400 with all errors of a query string. */
export function invalidQuery(errors: readonly FieldError[], detail = 'The query string is not acceptable; see "errors".'): Problem {
  return new Problem({ code: 'invalid_query', detail, errors });
}

/**
 * A mistake in a definition: of a model, a resource, an api, or the options of a middleware. It is thrown when that is
 * created, and never by a request. The message names the option in backticks, and the legal values.
 *
 * `instanceof ConfigurationError` is also true for an error of another copy of the library.
 *
 * If a definition has several mistakes, the message begins with their number (`3 mistakes:`) and lists each on its own
 * line.
 *
 * @example
 * try {
 *   shop.api({ db, resources: [orders] });
 * } catch (error) {
 *   if (error instanceof ConfigurationError) for (const { message } of error.errors ?? [error]) console.error(message);
 * }
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  /** The single mistakes, if there are several. @default undefined */
  declare readonly errors?: readonly ConfigurationError[];

  constructor(message: string, options: ErrorOptions & { readonly errors?: readonly ConfigurationError[] } = {}) {
    super(message, options);
    if (options.errors) Object.defineProperty(this, 'errors', { value: options.errors });
  }
}

/** Whether a value is a {@link ConfigurationError}, of any copy of the library. */
export const isConfigurationError = markInstances(ConfigurationError, 'ConfigurationError');

/**
 * What `handle` of `api.deliver` throws if no further attempt can succeed: the event becomes a dead letter at once.
 *
 * @example
 * throw new PermanentFailure('The search index has no such type.');
 */
export class PermanentFailure extends Error {
  override readonly name: string = 'PermanentFailure';
}

markInstances(PermanentFailure, 'PermanentFailure');
