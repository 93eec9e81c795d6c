import type Koa from 'koa';
import type { Context, ResourceMiddleware } from '../middleware/exchange/context.ts';
import { exchangeOf } from '../middleware/exchange/exchange.ts';
import { type Detail, readDetail } from '../mongo/driver/trace/detail.ts';
import { currentTrace, RequestTrace } from '../mongo/driver/trace/request-trace.ts';

/**
 * The middleware that writes each request and its commands to standard error; none unless `DEBUG` names the library.
 */
export function traceRequests(): readonly ResourceMiddleware[] {
  const detail = readDetail(process.env.DEBUG);
  if (detail === undefined) return [];
  async function traceRequest(ctx: Context, next: Koa.Next): Promise<void> {
    const begun = performance.now();
    const exchange = exchangeOf(ctx);
    const wasOver = exchange.isOver; // the client has gone while a middleware above was busy
    const trace = new RequestTrace(`${ctx.method} ${showUrl(ctx, detail as Detail)}`);
    const end = () => {
      const { work, isBroken } = exchange;
      const outcome = isBroken ? 'the client has gone' : `${ctx.status}`;
      const id = ctx.requestId === undefined ? '' : ` (${ctx.requestId})`;
      trace.end(`${outcome}, ${(performance.now() - begun).toFixed(1)} ms${id}`, work.commandCount);
    };
    if (!wasOver) exchange.whenOver(end);
    try {
      await currentTrace.run(trace, next);
    } finally {
      if (wasOver) end();
    }
  }
  return [traceRequest];
}

/** The values of a query string are those of records. */
function showUrl({ originalUrl }: Context, detail: Detail): string {
  return detail === 'values' ? originalUrl : originalUrl.replace(/=[^&]*/g, '=…');
}
