import { needed, type ResourceMiddleware } from './parts/context.ts';
import { exchangeOf } from './parts/exchange.ts';

/**
 * Answers with what a handler returned: `{"data": …}`, and its `ETag` where it is a record with a revision; 204 where it returned nothing.
 * It is written here, as all is stored when the hooks have run. A status or headers that were set before stay, and so does a body of the
 * handler's own.
 *
 * @example
 * router.get('/orders/:id/total', records(Order, { db }), handler(async (ctx) => ({ total: (await ctx.load()).total })), answer());
 */
export function answer(): ResourceMiddleware {
  return async function answer(ctx) {
    exchangeOf(ctx).throwIfGivenUp();
    const result = needed(ctx.result, 'handler', 'answer');
    const text = result.toText();
    if (text !== undefined) {
      if (result.entityTag !== undefined) ctx.set('ETag', result.entityTag);
      ctx.body = `{"data":${text}}`;
      ctx.type = 'json';
    } else if (ctx.status === 404 && ctx.respond !== false) ctx.status = 204; // Koa begins with 404: nothing was set
  };
}
