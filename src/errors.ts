import { reasonPhrase } from './reason-phrases.ts';
import { type FieldError, type FieldErrorInput, Invalid, toFieldError } from './rules.ts';

/**
 * Every problem the library answers with, by its stable code (RFC 9457). The code is what clients switch on; `docs/errors.md` has an
 * anchor for each. A registry entry with `blank: true` says nothing beyond its status, so its `type` is `about:blank` (RFC 9457 §4.2.1).
 */
export const problemCodes = {
  malformed_json: { status: 400, title: 'Malformed JSON' },
  malformed_header: { status: 400, title: 'Malformed header' },
  invalid_query: { status: 400, title: 'Invalid query' },
  invalid_cursor: { status: 400, title: 'Invalid cursor' },
  unauthorized: { status: 401, title: 'Unauthorized', blank: true },
  forbidden: { status: 403, title: 'Forbidden', blank: true },
  cross_origin: { status: 403, title: 'Cross-origin request refused' },
  not_found: { status: 404, title: 'Not Found', blank: true },
  method_not_allowed: { status: 405, title: 'Method Not Allowed', blank: true },
  duplicate_key: { status: 409, title: 'Duplicate key' },
  body_timeout: { status: 408, title: 'Request Timeout', blank: true },
  precondition_failed: { status: 412, title: 'Precondition Failed', blank: true },
  body_too_large: { status: 413, title: 'Content Too Large', blank: true },
  unsupported_media_type: { status: 415, title: 'Unsupported Media Type', blank: true },
  validation_failed: { status: 422, title: 'Validation failed' },
  precondition_required: { status: 428, title: 'Precondition Required', blank: true },
  internal: { status: 500, title: 'Internal Server Error', blank: true },
  overloaded: { status: 503, title: 'Too many requests in flight' },
  request_given_up: { status: 503, title: 'Request took too long' },
  shutting_down: { status: 503, title: 'Shutting down' },
  database_unavailable: { status: 503, title: 'Database unavailable' },
  database_timeout: { status: 504, title: 'Database time limit passed' },
  write_outcome_unknown: { status: 504, title: 'Outcome of the write unknown' },
} as const satisfies Record<string, { status: number; title: string; blank?: true }>;

/** A stable name of a kind of problem that the library answers with: a key of {@link problemCodes}. */
export type ProblemCode = keyof typeof problemCodes;

/** What a {@link Problem} says beside its kind. */
interface ProblemDetails {
  /** A short name of the kind of problem, the same each time. @default that of the library's code, else the status's reason phrase */
  readonly title?: string;
  /** One sentence for the client about this request, with a hint where there is one. @default none */
  readonly detail?: string | undefined;
  /** What is wrong, field by field. @default none */
  readonly errors?: readonly FieldErrorInput[];
  /** Response headers that belong to the answer. @default none, but `retry-after: 1` for 503 and 504 */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * A URI that names the kind of problem, best one that can be opened (RFC 9457 §3.1.1).
   * @default `about:blank` where there is no code beyond the status's own, else `urn:problem:app:<code>`
   */
  readonly type?: string;
  /** What led to it: for `app.on('error')` and logs, never for the client. @default none */
  readonly cause?: unknown;
}

/** The kind of a {@link Problem}: a status with a code of the application's own, or a code of the library, which has a status. */
type ProblemKind =
  | {
      /** 400 to 599. */
      readonly status: number;
      /** What programs switch on, in snake_case, such as `ticket_taken`. @default the status's own, such as `conflict` */
      readonly code?: string;
    }
  | { readonly status?: number; readonly code: ProblemCode };

/** What a {@link Problem} is made of. */
export type ProblemOptions = ProblemDetails & ProblemKind;

/** A problem document (RFC 9457), as it is sent with content type `application/problem+json`. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  /** Not there in a 500. */
  readonly code?: string;
  readonly errors?: readonly FieldError[];
  /** The id of the request, where the api gives ids. */
  readonly request_id?: string;
}

/**
 * An error that speaks to the client. Throw it from a handler, a hook, a guard, or any middleware below `problems()`, which answers with
 * its document. A 500 shows nothing but its status.
 *
 * The detail is never library text, nor does it have private names. Throws a TypeError where the status is none of 400 to 599 or not that of
 * the library's code, the code is not in snake_case, or a header cannot be sent.
 *
 * @example
 * throw new Problem({ status: 409, code: 'ticket_taken', title: 'Ticket taken', detail: 'bob has taken the ticket already.' });
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
  /** Koa's and http-errors' mark for messages that a client may see. */
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

  /** The problem document of this error; of a 500 it tells nothing but that it is one. */
  toDocument(): ProblemDocument {
    const { type, title, status, detail, code, errors } = this;
    if (status === problemCodes.internal.status) return { type: 'about:blank', title: problemCodes.internal.title, status };
    return { type, title, status, ...(detail === undefined ? {} : { detail }), code, ...(errors === undefined ? {} : { errors }) };
  }
}

function kindOf({ status, code, title, type }: ProblemOptions): { status: number; code: string; title: string; type: string } {
  const known = code !== undefined && Object.hasOwn(problemCodes, code) ? problemCodes[code as ProblemCode] : undefined;
  const own = status ?? known?.status;
  if (own === undefined || !Number.isInteger(own) || own < 400 || own > 599)
    throw new TypeError(`\`status\` of a Problem must be a whole number from 400 to 599; it is ${String(status)}.`);
  if (known && known.status !== own)
    throw new TypeError(`\`status\` of a Problem with the code \`${code}\` of the library must be ${known.status}.`);
  const phrase = reasonPhrase(own);
  const blank = phrase.toLowerCase().replaceAll("'", '').replaceAll(' ', '_');
  if (code !== undefined && !/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(code))
    throw new TypeError(`\`code\` of a Problem must be in snake_case, such as \`ticket_taken\`; it is \`${String(code)}\`.`);
  const named = code ?? blank;
  const isBlank = known ? 'blank' in known : named === blank;
  const urn = `urn:problem:${known ? 'koa-mongo-resource' : 'app'}:${named}`;
  return { status: own, code: named, title: title ?? known?.title ?? phrase, type: type ?? (isBlank ? 'about:blank' : urn) };
}

/** What says how the document itself is sent. */
const ofDocument = new Set(['content-type', 'content-length', 'content-encoding', 'transfer-encoding', 'trailer']);

/** Refuses names that are no token, and values that a header cannot hold (RFC 9110 §5). */
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || ofDocument.has(name.toLowerCase()))
      throw new TypeError(`\`headers\` of a Problem have \`${name}\`, which is not a header, or one of the document itself.`);
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new TypeError(`\`${name}\` of \`headers\` of a Problem must be a text without control characters, in Latin-1.`);
  }
}

/** Every 503 and 504 says when to try again: in a second, unless it knows better. */
function withRetryAfter(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'retry-after') ? headers : { ...headers, 'retry-after': '1' };
}

/**
 * 401: no or bad credentials. `headers` usually carry `www-authenticate`.
 *
 * @example
 * throw new Unauthorized('The token has expired.', { 'www-authenticate': 'Bearer realm="shop", error="invalid_token"' });
 */
export class Unauthorized extends Problem {
  override readonly name = 'Unauthorized';

  constructor(detail = 'Credentials are required.', headers: Readonly<Record<string, string>> = {}) {
    super({ code: 'unauthorized', detail, headers });
  }
}

/** 422 with every error of a body at once. */
export function validationFailed(errors: readonly FieldError[]): Problem {
  const fields = errors.length === 1 ? 'One field is' : `${errors.length} fields are`;
  return new Problem({ code: 'validation_failed', detail: `${fields} not acceptable; see "errors".`, errors });
}

/** 422 for a body that is no JSON object. */
export function bodyNoObject(): Problem {
  return validationFailed([new Invalid('type', 'the body must be a JSON object', { type: 'object' }).at('')]);
}

/** 400 with everything that is wrong with a query string. */
export function invalidQuery(errors: readonly FieldError[], detail = 'The query string is not acceptable; see "errors".'): Problem {
  return new Problem({ code: 'invalid_query', detail, errors });
}

/**
 * A mistake in a definition: of a model, a resource, an api, or the options of a middleware. It is thrown when that is created, and never by a
 * request. The message names the option in backticks, and the legal values.
 *
 * If a definition has several mistakes, the message begins with their number (`3 mistakes:`) and lists each on its own line.
 *
 * @example
 * catch (error) {
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
