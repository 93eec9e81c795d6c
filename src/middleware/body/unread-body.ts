import { IncomingMessage } from 'node:http';
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
 */
export function discardUnreadBody({ req, res }: Context, { maxBytes, maxMS } = defaultLimits): void {
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

/**
 * Discards the body of a request whose operation did not read it: Node would read it to its end, however long that
 * takes. A body that a middleware reads or forwards is left alone.
 */
export function discardIgnoredBody(ctx: Context, limits?: DiscardLimits): void {
  const isAsked = ctx.req.readableFlowing !== null || ctx.req.listenerCount('readable') > 0;
  if (!isAsked && ctx.respond !== false && !(ctx.body instanceof Stream)) discardUnreadBody(ctx, limits);
}

/** Whether a request says that it has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
