import rawBody from 'raw-body';
import { Problem } from '../errors.ts';
import { decodeUtf8, parseJson } from '../http/json.ts';
import { classifyMediaType } from '../http/media-type.ts';
import type { Context } from './context.ts';

/** Reads the JSON of a request, of at most `limit` bytes; undefined where there is no body. Throws 413, 415 and 400. */
export async function readBody(ctx: Context, limit: number): Promise<unknown> {
  const bytes = await readBytes(ctx, limit);
  checkMediaType(ctx);
  const text = decodeUtf8(bytes);
  return text.trim() === '' ? undefined : parseJson(text);
}

function checkMediaType(ctx: Context): void {
  const media = classifyMediaType(ctx.get('content-type'));
  if (media === 'other') throw new Problem('unsupported_media_type', 'The body must be JSON: send `content-type: application/json`.');
  if (media === 'charset') throw new Problem('unsupported_media_type', 'JSON is UTF-8: leave the charset out.');
  const coding = ctx.get('content-encoding').toLowerCase();
  const transfer = ctx.get('transfer-encoding').toLowerCase(); // Node takes `gzip, chunked` too, and undoes the chunks alone
  if ((coding !== '' && coding !== 'identity') || (transfer !== '' && transfer !== 'chunked'))
    throw new Problem('unsupported_media_type', 'The body must come without a coding: neither compressed nor encoded otherwise.');
}

async function readBytes(ctx: Context, limit: number): Promise<Buffer> {
  if (ctx.req.readableEnded) return readAgain(ctx, limit);
  try {
    return await rawBody(ctx.req, { limit, length: ctx.request.length ?? null });
  } catch (error) {
    throw toBodyProblem(error, limit);
  }
}

/** What a body parser of the app, such as koa-bodyparser, has read before and kept as text. */
function readAgain({ request }: Context, limit: number): Buffer {
  const { rawBody } = request as { readonly rawBody?: unknown };
  if (typeof rawBody === 'string') {
    const bytes = Buffer.from(rawBody);
    if (bytes.length > limit) throw tooLarge(limit);
    return bytes;
  }
  if (request.length)
    throw new Error(
      'The body was read before `jsonBody`: mount it above the body parser of the app, or let that keep `ctx.request.rawBody`.',
    );
  return Buffer.alloc(0);
}

function toBodyProblem(error: unknown, limit: number): unknown {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') return tooLarge(limit);
  // The client has gone, or sent another length than it said: it gets no answer, but the log shows no bug either.
  const isBroken = type === 'request.aborted' || type === 'request.size.invalid' || type === 'stream.not.readable';
  return isBroken ? new Problem('malformed_json', 'The body ended too early.') : error;
}

function tooLarge(limit: number): Problem {
  return new Problem('body_too_large', `The body may have at most ${limit} bytes.`);
}
