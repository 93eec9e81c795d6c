import { asCompiled, type ModelInput } from '../model/model-input.ts';
import { openStore } from '../mongo/store.ts';
import { whileConnected } from './client-gone.ts';
import { needed, type ResourceMiddleware } from './context.ts';
import type { FindOptions } from './find-record.ts';

/**
 * Finds the page that `ctx.listQuery` asks for, within `ctx.scope`, and leaves it in `ctx.page`. The read is aborted when the client has
 * gone.
 *
 * @example
 * router.get('/orders', listQuery(Order, cursorPaging()), findPage(Order, { db }), page());
 */
export function findPage(model: ModelInput, { fetchPrivate = false, ...options }: FindOptions): ResourceMiddleware {
  const store = openStore(asCompiled(model), options);
  return async function findPage(ctx, next) {
    const query = needed(ctx.listQuery, 'listQuery', 'findPage');
    ctx.page = await whileConnected(ctx, (signal) => store.findPage(query, ctx.scope, { fetchPrivate, signal }));
    await next();
  };
}
