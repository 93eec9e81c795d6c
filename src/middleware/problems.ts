import { STATUS_CODES } from 'node:http';
import { isProblem, Problem, type ProblemDocument } from '../errors.ts';
import { stringifyJson } from '../http/json.ts';
import { isObject } from '../model/value/plain-object.ts';
import { aFunction, checkOptions, type LegalOptions } from '../options.ts';
import { discardIgnoredBody, discardUnreadBody } from './body/unread-body.ts';
import { asTold } from './exchange/as-told.ts';
import { containErrors, requireSoundBody } from './exchange/contain-errors.ts';
import type { Context, ResourceMiddleware } from './exchange/context.ts';
import { cutOff } from './exchange/cut-off.ts';
import { described } from './exchange/descriptor.ts';
import { ClientGone } from './exchange/exchange.ts';
import { reportError } from './exchange/report-error.ts';

/**
 * Returns the body of a problem: a plain object, which is sent as JSON, or a string. It must be synchronous. The
 * content type is `application/problem+json` unless the function sets `ctx.type`. Status and headers are those of the
 * problem.
 */
export type WriteProblem = (document: ProblemDocument, ctx: Context) => object | string;

/** Options of {@link problems}. */
export interface ProblemsOptions {
  /**
   * Replaces how problems are written. If it fails, the document itself is sent, and `app.on('error')` receives the
   * error.
   * @default the document
   */
  readonly problem?: WriteProblem;
}

const legal: LegalOptions<ProblemsOptions> = { problem: aFunction };

/**
 * Answers every error below it with a problem document (RFC 9457, `application/problem+json`). Place it first in the
 * chain, below `observe`, `requestId` and `answerTimeout`.
 *
 * - A {@link Problem} is answered as it is.
 * - An error of `ctx.throw()` or http-errors keeps its status and headers, and its message if it is exposed. Its code
 *   is that of the status, such as `conflict`.
 * - Any other error is a bug, and so is one that cannot be sent: the answer is a bare 500, and `app.on('error')`
 *   receives the error, as it receives the cause of every other 5xx.
 * - If the client has closed the connection, the status is 499, which only logs see.
 *
 * Headers that were set before, such as those of CORS, are kept. Problems are not cached (`Cache-Control: no-store`),
 * unless their own headers say otherwise. Data that a client still sends after its request was refused is discarded, so
 * that it can read the answer and use the connection again. A body that no middleware has read is discarded, too.
 *
 * Below `requestId`, documents have the id as `request_id`.
 *
 * @example
 * app.use(problems());
 */
export function problems(options: ProblemsOptions = {}): ResourceMiddleware {
  checkOptions(options, legal, '`problems`');
  const { problem } = options;
  return described({}, async function problems(ctx, next) {
    containErrors(ctx);
    try {
      await next();
      requireSoundBody(ctx);
      if (!ctx.req.complete) discardIgnoredBody(ctx); // complete: all of its body has arrived
    } catch (error) {
      sendProblem(ctx, error, problem);
      takeBack(ctx);
    }
  });
}

/** If a function has taken over the response (`ctx.respond = false`) and failed, the response has to be ended here. */
function takeBack(ctx: Context): void {
  if (ctx.respond !== false || ctx.res.writableEnded) return;
  if (ctx.headerSent) cutOff(ctx.res);
  else ctx.respond = true;
}

/** An error may be a Proxy that throws at every access, or have headers or params that cannot be sent. */
function sendProblem(ctx: Context, error: unknown, write: WriteProblem | undefined): void {
  try {
    send(ctx, error, write);
  } catch {
    send(ctx, new Error('An error could not be answered as it is.', { cause: error }), write);
  }
}

function send(ctx: Context, thrown: unknown, write: WriteProblem | undefined): void {
  const error = asTold(ctx, thrown);
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

/**
 * The problem document of an error that ends an answer which has begun, and can no longer be answered itself.
 * `app.on('error')` receives what it would receive otherwise.
 */
export function noteProblem(ctx: Context, error: unknown): ProblemDocument {
  const [problem, sound] = soundProblem(ctx, error);
  if (isReported(problem, sound)) reportError(ctx, sound);
  return documentOf(problem, ctx);
}

/** The same of an error that was reported already, for another request. */
export function describeProblem(ctx: Context, error: unknown): ProblemDocument {
  return documentOf(soundProblem(ctx, error)[0], ctx);
}

/** The problem of an error, and the error: another one if it cannot be answered as it is. */
function soundProblem(ctx: Context, thrown: unknown): readonly [Problem, unknown] {
  try {
    const error = asTold(ctx, thrown);
    const problem = toProblem(error);
    problem.toDocument();
    return [problem, error];
  } catch {
    const sound = new Error('An error could not be answered as it is.', { cause: thrown });
    return [toProblem(sound), sound];
  }
}

function documentOf(problem: Problem, { requestId }: Context): ProblemDocument {
  const document = problem.toDocument();
  return requestId === undefined ? document : { ...document, request_id: requestId };
}

/**
 * The body that the application's function makes of a document; undefined if it fails or returns something that cannot
 * be sent.
 */
function writeOwn(write: WriteProblem, document: ProblemDocument, ctx: Context): string | undefined {
  try {
    const made: unknown = write(document, ctx);
    if (typeof made === 'string' && made !== '') return made;
    if (isObject(made)) return stringifyJson(made);
    Promise.resolve(made).catch(() => {}); // refused below; it must not become an unhandled rejection
    throw new Error('`problem` must return a plain object or a string, and must not be async.');
  } catch (error) {
    reportError(ctx, error);
    return undefined;
  }
}

/** Whether `app.on('error')` receives the error: bugs, and failures of the database or the application. */
function isReported(problem: Problem, error: unknown): boolean {
  return problem.status === 500 || (problem.status > 500 && (problem !== error || problem.cause !== undefined));
}

/** The problem that an error means to the client. An error that is not meant for clients is 500. */
export function toProblem(error: unknown): Problem {
  if (isProblem(error)) return error;
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

/**
 * An error of `ctx.throw()` or http-errors. It is recognized by its properties, because an app may have several copies
 * of http-errors.
 */
function isHttpError(error: unknown): error is HttpError {
  if (!(error instanceof Error) || !('expose' in error) || typeof error.expose !== 'boolean' || !('status' in error)) return false;
  return Number.isInteger(error.status) && (error.status as number) >= 400 && (error.status as number) < 600;
}

/** A problem with the status's own code. It has no detail if the error has no message of its own. */
function fromHttpError({ status, expose, message, headers = {} }: HttpError): Problem {
  const detail = expose && message !== STATUS_CODES[status] ? message : undefined;
  return new Problem({
    status,
    detail,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  });
}
