import { ServerResponse } from 'node:http';
import type { Context } from '../../../middleware/exchange/context.ts';
import { Exchange, exchangeOf } from '../../../middleware/exchange/exchange.ts';

/**
 * A context below that of a request, for a chain that runs more than once: with a response that is sent to nobody, and
 * an exchange that ends when it is told. It inherits everything else; a slot that it sets is its own. Koa makes cookies
 * anew that are undefined: those of the request would be set in a response that has begun.
 */
export function detach(ctx: Context): Context & { readonly exchange: Exchange } {
  const res = new ServerResponse(ctx.req);
  const { request, response } = ctx.app.createContext(ctx.req, res);
  const own = { res, request, response, cookies: undefined, state: { ...ctx.state }, heldModels: undefined };
  const context = Object.assign(Object.create(ctx), own) as Context & { exchange: Exchange };
  Object.assign(request, { ctx: context, originalUrl: ctx.originalUrl });
  Object.assign(response, { ctx: context });
  context.exchange = new Exchange(context, 'detached');
  return context;
}

/** Rejects when whoever a context is for waits no longer. */
export function untilGivenUp(ctx: Context): Promise<never> {
  const exchange = exchangeOf(ctx);
  return new Promise((_resolve, reject) => exchange.whenGivenUp(() => reject(exchange.giveUp())));
}
