import { IncomingMessage } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import { Stream, type Writable } from 'node:stream';
import type { Context } from '../exchange/context.ts';

/** How much of a refused body is read, and for how long, before its connection is closed. */
export interface DiscardLimits {
  /** In bytes. */
  readonly maxBytes: number;
  /** In milliseconds, from the answer on. */
  readonly maxMS: number;
}

const defaultLimits: DiscardLimits = { maxBytes: 16_777_216, maxMS: 10_000 };

/**
 * Discards the data that a client still sends after its request was refused. Nothing of it is kept in memory. For
 * `problems`.
 *
 * Closing the connection at once would reset it, and the client would lose the part of the answer that it has not read
 * yet (RFC 9112 §9.6). So the answer is sent at once and the rest of the body is read up to the limits. After that, the
 * connection can take the next request, or is closed if the client asked for that. A client that exceeds the limits has
 * had its answer, and its connection is closed.
 *
 * Over HTTP/2, a stream that has been read from would stay open with its place in `inFlightLimit`. It is closed, after
 * a second at most, which asks the client to send no more (RFC 9113 §8.1). Node does so where nothing has been read.
 */
export function discardUnreadBody({ req, res }: Context, limits = defaultLimits): void {
  if (req.readableEnded || req.destroyed) return;
  const { stream } = req as { readonly stream?: ServerHttp2Stream };
  if (stream) {
    if (isAsked(req)) discard(req, stream, { ...limits, maxMS: Math.min(limits.maxMS, 1_000) }, () => stream.close());
    return;
  }
  if (!(req instanceof IncomingMessage) || !hasBody(req) || res.headersSent) return;
  const { socket } = req;
  const closesAfterwards = !res.shouldKeepAlive;
  res.shouldKeepAlive = true; // otherwise Node closes with the end of the answer
  req.once('end', () => closesAfterwards && afterAnswer(res, () => socket.destroySoon()));
  discard(req, res, limits, () => socket.destroy());
}

/** Reads the rest of a body. Beyond the limits it reads no further, and cuts the client off when it has its answer. */
function discard(req: IncomingMessage, answer: Writable, { maxBytes, maxMS }: DiscardLimits, cutOff: () => void): void {
  let left = maxBytes;
  const timer = setTimeout(cut, maxMS).unref();
  req.once('close', () => clearTimeout(timer));
  req.on('data', take);
  req.resume();

  function take(chunk: Buffer): void {
    left -= chunk.length;
    if (left < 0) cut();
  }

  function cut(): void {
    clearTimeout(timer);
    req.off('data', take).pause();
    afterAnswer(answer, cutOff);
  }
}

function afterAnswer(answer: Writable, run: () => void): void {
  if (answer.writableFinished) run();
  else answer.once('finish', run);
}

/**
 * Discards the body of a request whose operation did not read it: Node would read it to its end, however long that
 * takes. A body that a middleware reads or forwards is left alone.
 */
export function discardIgnoredBody(ctx: Context, limits?: DiscardLimits): void {
  if (!isAsked(ctx.req) && ctx.respond !== false && !(ctx.body instanceof Stream)) discardUnreadBody(ctx, limits);
}

/** Whether somebody has begun to read the body. */
function isAsked(req: IncomingMessage): boolean {
  return req.readableFlowing !== null || req.listenerCount('readable') > 0;
}

/** Whether a request says that it has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
