import { STATUS_CODES } from 'node:http';
import { Problem, type ProblemDocument } from '../errors.ts';
import { stringifyJson } from '../http/json.ts';
import { isObject } from '../model/value/plain-object.ts';
import { aFunction, checkOptions, type LegalOptions } from '../options.ts';
import { containErrors, requireSoundBody } from './parts/contain-errors.ts';
import type { Context, ResourceMiddleware } from './parts/context.ts';
import { ClientGone } from './parts/exchange.ts';
import { reportError } from './parts/report-error.ts';
import { discardIgnoredBody, discardUnreadBody } from './parts/unread-body.ts';

/**
 * Makes the body of a problem out of its document: a plain object, sent as JSON, or a text. It must not wait for anything. The content type is
 * `application/problem+json` unless it sets `ctx.type`; status and headers are the problem's.
 */
export type WriteProblem = (document: ProblemDocument, ctx: Context) => object | string;

/** Options of {@link problems}. */
export interface ProblemsOptions {
  /** Replaces how problems are written. Where it fails, the document itself is sent, and `app.on('error')` hears why. @default the document */
  readonly problem?: WriteProblem;
}

const legal: LegalOptions<ProblemsOptions> = { problem: aFunction };

/**
 * Answers every error below it with a problem document (RFC 9457, `application/problem+json`). The outermost of the chain.
 *
 * A {@link Problem} speaks for itself. An error of `ctx.throw()` or http-errors keeps its status and headers, and its message where it is
 * exposed; its code is the status's own (`conflict`). Anything else is a bug, and so is an error that cannot be sent as it is: a bare 500,
 * and the error reaches `app.on('error')`, as does the cause of every other 5xx. A client that has gone is none: 499, which only logs see.
 * Headers that were set before, such as those of CORS, stay. What a refused client still sends is dropped, so that it can read its answer
 * and use the connection again; so is a body that nobody has asked for.
 *
 * Nobody keeps a problem (`Cache-Control: no-store`), whatever was set before, unless its own headers say so.
 *
 * Where `requestId` stands above it, documents carry the id as `request_id`.
 *
 * @example
 * app.use(problems());
 */
export function problems(options: ProblemsOptions = {}): ResourceMiddleware {
  checkOptions(options, legal, '`problems`');
  const { problem } = options;
  return async function problems(ctx, next) {
    containErrors(ctx);
    try {
      await next();
      requireSoundBody(ctx);
      discardIgnoredBody(ctx);
    } catch (error) {
      sendProblem(ctx, error, problem);
      takeBack(ctx);
    }
  };
}

/** A function that has taken over the response (`ctx.respond = false`) and failed will not end it: nobody would. */
function takeBack(ctx: Context): void {
  if (ctx.respond !== false || ctx.res.writableEnded) return;
  if (ctx.headerSent) ctx.res.destroy();
  else ctx.respond = true;
}

/** An error may be a Proxy that throws when it is looked at, or have headers or params that nobody can send. */
function sendProblem(ctx: Context, error: unknown, write: WriteProblem | undefined): void {
  try {
    send(ctx, error, write);
  } catch {
    send(ctx, new Error('An error could not be answered as it is.', { cause: error }), write);
  }
}

function send(ctx: Context, error: unknown, write: WriteProblem | undefined): void {
  const problem = toProblem(error);
  const document = documentOf(problem, ctx);
  const text = stringifyJson(document);
  ctx.set({ 'cache-control': 'no-store', ...problem.headers });
  if (isReported(problem, error)) reportError(ctx, error);
  ctx.type = 'application/problem+json';
  const own = write && writeOwn(write, document, ctx);
  if (own === undefined) ctx.type = 'application/problem+json';
  ctx.status = problem.status;
  ctx.body = own ?? text;
  discardUnreadBody(ctx);
}

function documentOf(problem: Problem, { requestId }: Context): ProblemDocument {
  const document = problem.toDocument();
  return requestId === undefined ? document : { ...document, request_id: requestId };
}

/** What the application's own function makes of a document; undefined where it makes nothing that can be sent. */
function writeOwn(write: WriteProblem, document: ProblemDocument, ctx: Context): string | undefined {
  try {
    const made: unknown = write(document, ctx);
    if (typeof made === 'string' && made !== '') return made;
    if (isObject(made)) return stringifyJson(made);
    Promise.resolve(made).catch(() => {}); // of a promise nobody waits for: it is refused whatever becomes of it
    throw new Error('`problem` must return a plain object or a text, and must not be async.');
  } catch (error) {
    reportError(ctx, error);
    return undefined;
  }
}

/** Whether `app.on('error')` hears of it: bugs, and what made the database or the application fail. */
function isReported(problem: Problem, error: unknown): boolean {
  return problem.status === 500 || (problem.status > 500 && (problem !== error || problem.cause !== undefined));
}

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ClientGone)
    return new Problem({ status: error.status, code: 'client_closed_request', title: 'Client Closed Request', detail: error.message });
  return isHttpError(error) ? fromHttpError(error) : new Problem({ code: 'internal', cause: error });
}

interface HttpError {
  readonly status: number;
  readonly expose: boolean;
  readonly message: string;
  readonly headers?: Readonly<Record<string, unknown>>;
}

/** An error of `ctx.throw()` and its like. By its marks and not its class: an app may hold several copies of http-errors. */
function isHttpError(error: unknown): error is HttpError {
  if (!(error instanceof Error) || !('expose' in error) || typeof error.expose !== 'boolean' || !('status' in error)) return false;
  return Number.isInteger(error.status) && (error.status as number) >= 400 && (error.status as number) < 600;
}

/** A problem with the status's own code. Without a message of its own the error says no more than its status. */
function fromHttpError({ status, expose, message, headers = {} }: HttpError): Problem {
  const detail = expose && message !== STATUS_CODES[status] ? message : undefined;
  return new Problem({
    status,
    detail,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  });
}
