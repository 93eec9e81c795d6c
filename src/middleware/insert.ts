import { asCompiled, type ModelInput } from '../model/model-input.ts';
import { openStore, type StoreOptions } from '../mongo/store.ts';
import { checkStoreOptions } from './check-store-options.ts';
import { needed, type ResourceMiddleware } from './context.ts';

/**
 * Inserts `ctx.created` and leaves it in `ctx.record`; 409 names the fields of a unique index that has their values already.
 *
 * @example
 * router.post('/orders', jsonBody(), checkCreate(Order), insert(Order, { db }), record({ created: true }));
 */
export function insert(model: ModelInput, options: StoreOptions): ResourceMiddleware {
  checkStoreOptions(options, '`insert`');
  const store = openStore(asCompiled(model), options);
  return async function insert(ctx, next) {
    ctx.record = await store.insert(needed(ctx.created, 'checkCreate', 'insert'));
    await next();
  };
}
