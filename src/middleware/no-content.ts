import type { ResourceMiddleware } from './exchange/context.ts';
import { exchangeOf } from './exchange/exchange.ts';

/**
 * Answers 204 without a body.
 *
 * @example
 * router.delete('/orders/:id', ifMatch(), remove(Order, { db }), noContent());
 */
export function noContent(): ResourceMiddleware {
  return async function noContent(ctx) {
    exchangeOf(ctx).throwIfGivenUp();
    ctx.status = 204;
  };
}
