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
  not_found: { status: 404, title: 'Not Found', blank: true },
  method_not_allowed: { status: 405, title: 'Method Not Allowed', blank: true },
  duplicate_key: { status: 409, title: 'Duplicate key' },
  precondition_failed: { status: 412, title: 'Precondition Failed', blank: true },
  body_too_large: { status: 413, title: 'Content Too Large', blank: true },
  unsupported_media_type: { status: 415, title: 'Unsupported Media Type', blank: true },
  validation_failed: { status: 422, title: 'Validation failed' },
  precondition_required: { status: 428, title: 'Precondition Required', blank: true },
  internal: { status: 500, title: 'Internal Server Error', blank: true },
  overloaded: { status: 503, title: 'Too many requests in flight' },
  database_unavailable: { status: 503, title: 'Database unavailable' },
  database_timeout: { status: 504, title: 'Database time limit passed' },
  write_outcome_unknown: { status: 504, title: 'Outcome of the write unknown' },
} as const satisfies Record<string, { status: number; title: string; blank?: true }>;

/** A stable name of a kind of problem: a key of {@link problemCodes}. */
export type ProblemCode = keyof typeof problemCodes;

/** One thing that is wrong with one field: `field` is its dotted path as clients write it (`history.0.zip`). */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** What a {@link Problem} may carry beside its code and detail. */
export interface ProblemOptions {
  /** What is wrong, field by field. */
  readonly errors?: readonly FieldError[];
  /** Response headers that belong to the answer, such as `www-authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What led to it: for `app.on('error')` and logs, never for the client. */
  readonly cause?: unknown;
}

/** A problem document (RFC 9457), as it is sent with content type `application/problem+json`. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly code?: ProblemCode;
  readonly errors?: readonly FieldError[];
  /** The id of the request, where the api gives ids. */
  readonly request_id?: string;
}

/**
 * An error that speaks to the client. Throw it from any middleware below `problems()`, which answers with its document.
 *
 * `detail` is one sentence for the client, with a hint where there is one; never library text, private names or collection names.
 *
 * @example
 * throw new Problem('not_found', 'There is no such order.');
 */
export class Problem extends Error {
  override readonly name: string = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly detail: string | undefined;
  readonly errors: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Koa's and http-errors' mark for messages that a client may see. */
  readonly expose = true;

  constructor(code: ProblemCode, detail?: string, options: ProblemOptions = {}) {
    super(detail ?? problemCodes[code].title, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.status = problemCodes[code].status;
    this.detail = detail;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
  }

  /** The problem document of this error; of an internal one it tells nothing but that it is one. */
  toDocument(): ProblemDocument {
    const document = { type: problemType(this.code), title: problemCodes[this.code].title, status: this.status };
    if (this.code === 'internal') return document;
    return {
      ...document,
      ...(this.detail === undefined ? {} : { detail: this.detail }),
      code: this.code,
      ...(this.errors === undefined ? {} : { errors: this.errors }),
    };
  }
}

/** The `type` member of a problem document: a stable URN for each code, `about:blank` where the status says all. */
function problemType(code: ProblemCode): string {
  return 'blank' in problemCodes[code] ? 'about:blank' : `urn:problem:koa-mongo-resource:${code}`;
}

/**
 * 401: no or bad credentials. `headers` usually carry `www-authenticate`.
 *
 * @example
 * throw new Unauthorized('The token has expired.', { 'www-authenticate': 'Bearer' });
 */
export class Unauthorized extends Problem {
  override readonly name = 'Unauthorized';

  constructor(detail = 'Credentials are required.', headers: Readonly<Record<string, string>> = {}) {
    super('unauthorized', detail, { headers });
  }
}

/** 422 with every error of a body at once. */
export function validationFailed(errors: readonly FieldError[]): Problem {
  const fields = errors.length === 1 ? 'One field is' : `${errors.length} fields are`;
  return new Problem('validation_failed', `${fields} not acceptable; see "errors".`, { errors });
}

/** 400 with everything that is wrong with a query string. */
export function invalidQuery(errors: readonly FieldError[]): Problem {
  return new Problem('invalid_query', 'The query string is not acceptable; see "errors".', { errors });
}

/**
 * A mistake in a definition (a model, a resource, an api, a middleware's options), thrown when it is built and never by a request.
 * The message names the option in backticks and the legal values.
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}
