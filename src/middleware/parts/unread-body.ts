import { IncomingMessage } from 'node:http';
import { Stream } from 'node:stream';
import type { Context } from './context.ts';

/** How much of a refused body is taken off the wire, and for how long, before its connection is cut. */
export interface DiscardLimits {
  /** In bytes. */
  readonly maxBytes: number;
  /** In milliseconds, from the answer on. */
  readonly maxMS: number;
}

const defaultLimits: DiscardLimits = { maxBytes: 16_777_216, maxMS: 10_000 };

/**
 * Takes what a client still sends after its request was refused, and drops it: nothing is kept in memory. For `problems`.
 *
 * Closing at once would reset the connection, and what the client had not read by then, the answer, would be lost to it (RFC 9112 §9.6).
 * So the answer goes out at once and the rest is read, as far as the limits: then the connection can take the next request, or is closed
 * where the client asked for that. A client that goes on beyond them has had its answer, and is cut off.
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
 * The same for a body that an operation has answered without asking for it: Node would read it to its end, however long that is. One that
 * somebody reads, or passes on, is theirs.
 */
export function discardIgnoredBody(ctx: Context, limits?: DiscardLimits): void {
  const isAsked = ctx.req.readableFlowing !== null || ctx.req.listenerCount('readable') > 0;
  if (!isAsked && ctx.respond !== false && !(ctx.body instanceof Stream)) discardUnreadBody(ctx, limits);
}

/** Whether a request says that it has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
