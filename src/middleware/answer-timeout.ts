import { Stream } from 'node:stream';
import { coarseTimer } from '../mongo/driver/coarse-timer.ts';
import { checkTimeLimit } from '../mongo/driver/time-limit.ts';
import type { Context, ResourceMiddleware } from './parts/context.ts';
import { type Exchange, exchangeOf } from './parts/exchange.ts';

/**
 * Cuts off a client that has not received the answer `ms` milliseconds after it was ready. A client that does not read cannot hold memory
 * or a place in flight. For a stream, the time starts again whenever data is sent. An answer that waits behind another one on its
 * connection is not timed. Place it above `problems`.
 *
 * @example
 * app.use(answerTimeout(120_000)).use(problems());
 */
export function answerTimeout(ms: number): ResourceMiddleware {
  checkTimeLimit(ms, 'answerTimeout');
  return async function answerTimeout(ctx, next) {
    try {
      await next();
    } finally {
      if (ctx.respond !== false) watch(ctx, exchangeOf(ctx), ms, 0);
    }
  };
}

function watch(ctx: Context, exchange: Exchange, ms: number, sent: number): void {
  if (exchange.isOver) return;
  const alarm = coarseTimer.after(ms, () => {
    const { res, body } = ctx;
    const now = res.socket?.bytesWritten ?? 0;
    const isWaiting = res.socket === null || (body instanceof Stream && now > sent);
    if (isWaiting) watch(ctx, exchange, ms, now);
    else res.destroy();
  });
  exchange.whenOver(() => alarm.cancel());
}
