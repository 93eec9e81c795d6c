import type { IncomingMessage } from 'node:http';
import rawBody from 'raw-body';
import { Problem, type ProblemCode } from '../../errors.ts';
import { decodeUtf8, parseJson } from '../../http/json.ts';
import { classifyMediaType, jsonType, patchTypes } from '../../http/media-type.ts';
import { coarseTimer } from '../../mongo/driver/coarse-timer.ts';
import { pause } from '../../mongo/driver/turn.ts';
import type { Context } from '../exchange/context.ts';

/** The largest size of a body in bytes, in values and in depth, and the time that it may take. */
export interface BodyLimits {
  readonly bytes: number;
  readonly ms: number;
  /** The most values of its JSON. @default no limit */
  readonly values?: number;
  /** How deep its JSON may be nested. @default 64 */
  readonly depth?: number;
}

/** From how many characters on other requests run between the steps that handle a body as a whole. */
const largeBody = 65_536;

/** The problems that {@link readBody} answers. */
export const problemsOfBody = [
  'malformed_json',
  'body_timeout',
  'body_too_large',
  'unsupported_media_type',
] as const satisfies readonly ProblemCode[];

/**
 * Reads the JSON of a request within its limits. Returns undefined if there is no body. Throws 413, 408, 415 and 400.
 */
export async function readBody(ctx: Context, limits: BodyLimits): Promise<unknown> {
  const bytes = ctx.req.readableEnded ? readAgain(ctx, limits.bytes) : await receive(ctx, limits);
  checkMediaType(ctx);
  const text = decodeUtf8(bytes);
  if (text.trim() === '') return undefined;
  const bounds = { maxDepth: limits.depth, maxValues: limits.values };
  if (text.length < largeBody) return parseJson(text, bounds);
  ctx.isLargeBody = true;
  await pause(); // after it was put together and decoded
  const body = parseJson(text, bounds);
  await pause();
  return body;
}

function checkMediaType(ctx: Context): void {
  const { 'content-type': type, 'content-encoding': coding = '', 'transfer-encoding': transfer = '' } = ctx.req.headers;
  const media = type === jsonType ? 'json' : classifyMediaType(type); // as most clients spell it
  if (media === 'other') throw unsupported(ctx, 'The body must be JSON: send `content-type: application/json`.');
  if (media === 'charset') throw unsupported(ctx, 'JSON is UTF-8: leave the charset out.');
  // Node accepts `gzip, chunked`, but decodes the chunks only.
  if ((coding !== '' && coding.toLowerCase() !== 'identity') || (transfer !== '' && transfer.toLowerCase() !== 'chunked'))
    throw unsupported(ctx, 'The body must come without a coding: neither compressed nor encoded otherwise.', {
      'accept-encoding': 'identity',
    });
}

/** 415 says which type is accepted (RFC 9110 §15.5.16), and for a PATCH also in `Accept-Patch` (RFC 5789 §2.2). */
function unsupported({ method }: Context, detail: string, others: Readonly<Record<string, string>> = {}): Problem {
  const headers = { accept: jsonType, ...(method === 'PATCH' && { 'accept-patch': patchTypes }), ...others };
  return new Problem({ code: 'unsupported_media_type', detail, headers });
}

/** Rejects after a time limit. The rest of the body is discarded, as for every refused request. */
function receive({ req, request }: Context, { bytes, ms }: BodyLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const alarm = coarseTimer.after(ms, () => reject(tooSlow(req, ms)));
    rawBody(req, { limit: bytes, length: request.length ?? null }, (error, received) => {
      alarm.cancel();
      if (error) reject(toBodyProblem(error, bytes));
      else resolve(received);
    });
  });
}

/** Reads the text that a body parser of the app, such as koa-bodyparser, has read before and kept. */
function readAgain({ request }: Context, limit: number): Buffer {
  const { rawBody } = request as { readonly rawBody?: unknown };
  if (typeof rawBody === 'string') {
    const bytes = Buffer.from(rawBody);
    if (bytes.length > limit) throw tooLarge(limit);
    return bytes;
  }
  if (request.length || request.get('transfer-encoding') !== '')
    throw new Error(
      'The body was read before `jsonBody`: mount it above the body parser of the app, or let that keep `ctx.request.rawBody`.',
    );
  return Buffer.alloc(0);
}

function toBodyProblem(error: unknown, limit: number): unknown {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') return tooLarge(limit);
  // The client has gone, or has sent another length than announced. That is not a bug of the service.
  const isBroken = type === 'request.aborted' || type === 'request.size.invalid' || type === 'stream.not.readable';
  return isBroken ? new Problem({ code: 'malformed_json', detail: 'The body ended too early.' }) : error;
}

/** The connection ends with the answer (RFC 9110 §15.5.9). Over HTTP/2, the stream does (RFC 9113 §8.2.2). */
function tooSlow({ httpVersionMajor }: IncomingMessage, ms: number): Problem {
  const headers = httpVersionMajor < 2 ? { connection: 'close' } : {};
  return new Problem({ code: 'body_timeout', detail: `The body must arrive within ${ms} milliseconds.`, headers });
}

function tooLarge(limit: number): Problem {
  return new Problem({ code: 'body_too_large', detail: `The body may have at most ${limit} bytes.` });
}
