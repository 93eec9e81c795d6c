import { STATUS_CODES } from 'node:http';
import { Problem, type ProblemDocument } from '../errors.ts';
import { ClientGone } from './client-gone.ts';
import type { Context, ResourceMiddleware } from './context.ts';
import { reportError } from './report-error.ts';
import { discardIgnoredBody, discardUnreadBody } from './unread-body.ts';

/**
 * Answers every error below it with a problem document (RFC 9457, `application/problem+json`). The outermost of the chain.
 *
 * A {@link Problem} speaks for itself. An exposed error of `ctx.throw()` or http-errors keeps its status, message and headers. Anything
 * else is a bug, and so is an error with a header that cannot be sent: a bare 500, and the error reaches `app.on('error')`, as does the cause of every other 5xx. A client that has gone is none:
 * 499, which only logs see. Headers that were set before, such as those of CORS, stay. What a refused client still sends is dropped, so that it
 * can read its answer and use the connection again; so is a body that nobody has asked for.
 *
 * Where `requestId` stands above it, documents carry the id as `request_id`.
 *
 * @example
 * app.use(problems());
 */
export function problems(): ResourceMiddleware {
  return async function problems(ctx, next) {
    try {
      await next();
      discardIgnoredBody(ctx);
    } catch (error) {
      sendProblem(ctx, error);
    }
  };
}

function sendProblem(ctx: Context, error: unknown): void {
  const { document, headers, isReported } = toProblemAnswer(error);
  if (isReported) reportError(ctx, error);
  if (!setHeaders(ctx, headers)) {
    sendProblem(ctx, new Error('An error had a header that cannot be sent.', { cause: error }));
    return;
  }
  ctx.status = document.status;
  ctx.body = JSON.stringify(ctx.requestId === undefined ? document : { ...document, request_id: ctx.requestId });
  ctx.type = 'application/problem+json';
  discardUnreadBody(ctx);
}

function setHeaders(ctx: Context, headers: Readonly<Record<string, string>>): boolean {
  try {
    ctx.set(headers);
    return true;
  } catch {
    return false;
  }
}

interface ProblemAnswer {
  readonly document: ProblemDocument;
  readonly headers: Record<string, string>;
  /** Whether `app.on('error')` hears of it: bugs, and what made the database fail. */
  readonly isReported: boolean;
}

function toProblemAnswer(error: unknown): ProblemAnswer {
  if (error instanceof Problem) {
    return { document: error.toDocument(), headers: { ...error.headers }, isReported: error.status >= 500 && error.cause !== undefined };
  }
  if (error instanceof ClientGone) {
    const { status, message } = error;
    return { document: { type: 'about:blank', title: 'Client Closed Request', status, detail: message }, headers: {}, isReported: false };
  }
  if (isExposed(error)) {
    const { status, message, headers = {} } = error;
    return {
      document: { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail: message },
      headers,
      isReported: status >= 500,
    };
  }
  return { document: { type: 'about:blank', title: 'Internal Server Error', status: 500 }, headers: {}, isReported: true };
}

interface ExposedError {
  readonly status: number;
  readonly message: string;
  readonly headers?: Record<string, string>;
}

/** An error of `ctx.throw()` and its like. By its marks and not its class: an app may hold several copies of http-errors. */
function isExposed(error: unknown): error is ExposedError {
  if (!(error instanceof Error) || !('expose' in error) || error.expose !== true || !('status' in error)) return false;
  return typeof error.status === 'number' && error.status >= 400 && error.status in STATUS_CODES;
}
