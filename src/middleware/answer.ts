import { needed, type ResourceMiddleware } from './context.ts';

/**
 * Answers with what a handler returned: `{"data": …}`, and its `ETag` where it is a record with a revision; 204 where it returned nothing.
 * A status or headers that were set before stay, and so does a body of the handler's own.
 *
 * @example
 * router.get('/orders/:id/total', records(Order, { db }), handler(async (ctx) => ({ total: (await ctx.load()).total })), answer());
 */
export function answer(): ResourceMiddleware {
  return async function answer(ctx) {
    const { text, entityTag } = needed(ctx.result, 'handler', 'answer');
    if (text !== undefined) {
      if (entityTag !== undefined) ctx.set('ETag', entityTag);
      ctx.body = `{"data":${text}}`;
      ctx.type = 'json';
    } else if (ctx.status === 404 && ctx.respond !== false) ctx.status = 204; // Koa begins with 404: nothing was set
  };
}
