import { needed, type ResourceMiddleware } from './parts/context.ts';
import { exchangeOf } from './parts/exchange.ts';

/**
 * Answers with what a handler returned: `{"data": …}`, with an `ETag` if it is a record with a revision, or 204 if the handler returned
 * nothing. The answer is written after the hooks have run, so it shows what is stored by then. A status, headers or a body that the handler
 * has set are kept.
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
    } else if (ctx.status === 404 && ctx.respond !== false) ctx.status = 204; // Koa starts with 404, so nothing was set
  };
}
