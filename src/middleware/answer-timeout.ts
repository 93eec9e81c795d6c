import type { ServerResponse } from 'node:http';
import { Stream } from 'node:stream';
import { coarseTimer } from '../mongo/driver/coarse-timer.ts';
import { aTimeLimit, checkValue } from '../options.ts';
import type { Context, ResourceMiddleware } from './exchange/context.ts';
import { cutOff } from './exchange/cut-off.ts';
import { described } from './exchange/descriptor.ts';
import { type Exchange, exchangeOf } from './exchange/exchange.ts';
import { isIdle } from './exchange/own-streams.ts';

/**
 * Cuts off a client that has not received the answer `ms` milliseconds after it was ready. A client that does not read
 * cannot hold memory or a place in flight, nor can one that does not read what comes before the answer on its
 * connection (HTTP pipelining). For a stream, the time starts again whenever data is sent, for an export also while it
 * waits for the database, and for a stream of events, or one that `handler` answers with, also while it waits for
 * its source. Place it above `problems`.
 *
 * @example
 * app.use(answerTimeout(120_000)).use(problems());
 */
export function answerTimeout(ms: number): ResourceMiddleware {
  checkValue('`answerTimeout`', ms, aTimeLimit);
  return described({}, async function answerTimeout(ctx, next) {
    try {
      await next();
    } finally {
      if (ctx.respond !== false) watch(ctx, exchangeOf(ctx), ms, 0);
    }
  });
}

function watch(ctx: Context, exchange: Exchange, ms: number, sent: number): void {
  const { req, res, body } = ctx;
  if (exchange.isOver) return;
  const alarm = coarseTimer.after(ms, () => {
    const now = res.socket?.bytesWritten ?? 0;
    if (body instanceof Stream && (now > sent || isWaiting(res, exchange))) watch(ctx, exchange, ms, now);
    else if (res.socket === null)
      req.socket.destroy(); // it waits behind another answer, and has no socket yet
    else cutOff(res);
  });
  exchange.whenOver(() => alarm.cancel());
}

/** Whether a stream waits, and not its client: an export for the database, and any other for its source. */
function isWaiting(res: ServerResponse, { isStreaming, ownStream, work }: Exchange): boolean {
  if (isStreaming && work.running.size > 0) return true;
  return ownStream !== undefined && isIdle(res, ownStream);
}
