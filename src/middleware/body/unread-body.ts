import { IncomingMessage } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import { Stream } from 'node:stream';
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
export function discardUnreadBody({ req, res }: Context, { maxBytes, maxMS } = defaultLimits): void {
  const { stream } = req as { readonly stream?: ServerHttp2Stream };
  if (stream) discardStream(req, stream, { maxBytes, maxMS });
  if (!(req instanceof IncomingMessage) || !hasBody(req) || req.readableEnded || req.destroyed || res.headersSent) return;
  const { socket } = req;
  const closesAfterwards = !res.shouldKeepAlive;
  res.shouldKeepAlive = true; // otherwise Node closes with the end of the answer
  let left = maxBytes;
  const cut = () => afterAnswer(() => socket.destroy());
  const timer = setTimeout(cut, maxMS).unref();
  req.once('close', () => clearTimeout(timer));
  req.once('end', () => closesAfterwards && afterAnswer(() => socket.destroySoon()));
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) cut();
  });
  req.resume();

  function afterAnswer(run: () => void): void {
    if (res.writableFinished) run();
    else res.once('finish', run);
  }
}

function discardStream(req: IncomingMessage, stream: ServerHttp2Stream, { maxBytes, maxMS }: DiscardLimits): void {
  if (!isAsked(req) || req.readableEnded || req.destroyed) return;
  let left = maxBytes;
  const cut = () => (stream.writableFinished ? stream.close() : stream.once('finish', () => stream.close()));
  const timer = setTimeout(cut, Math.min(maxMS, 1_000)).unref();
  stream.once('close', () => clearTimeout(timer));
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) cut();
  });
  req.resume();
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
