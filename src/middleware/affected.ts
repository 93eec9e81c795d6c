import type { ResourceMiddleware } from './exchange/context.ts';
import { described } from './exchange/descriptor.ts';
import { exchangeOf, setJson } from './exchange/exchange.ts';
import { missing } from './exchange/order.ts';

/**
 * Answers with what a write to many records has done: `{"data": {"matched": 12, "modified": 11}}`.
 *
 * @example
 * router.delete('/orders', filterQuery(Order), removeMany(Order, { db }), affected());
 */
export function affected(): ResourceMiddleware {
  return described({ needs: ['affected'] }, async function affected(ctx) {
    exchangeOf(ctx).throwIfGivenUp();
    const { matched, modified } = ctx.affected ?? missing('affected', 'affected');
    ctx.status = 200;
    setJson(ctx, JSON.stringify({ data: { matched, modified } }));
  });
}
