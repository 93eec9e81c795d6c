import type { ResourceMiddleware } from './exchange/context.ts';
import { described } from './exchange/descriptor.ts';
import { exchangeOf } from './exchange/exchange.ts';

/**
 * Answers 204 without a body.
 *
 * @example
 * router.delete('/orders/:id', ifMatch(), remove(Order, { db }), noContent());
 */
export function noContent(): ResourceMiddleware {
  return described({}, async function noContent(ctx) {
    exchangeOf(ctx).throwIfGivenUp();
    ctx.status = 204;
  });
}
