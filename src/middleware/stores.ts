import { type DatabaseOptions, databaseOptions } from '../mongo/collection.ts';
import { checkOptions } from '../options.ts';
import { Stores } from '../store/stores.ts';
import type { ResourceMiddleware } from './parts/context.ts';
import { setStores } from './parts/set-stores.ts';

/**
 * Gives handlers, guards and hooks the records of any model: `ctx.store(Order)` opens a store, whose commands share the deadline of the request,
 * and `ctx.transaction(async (tx) => …)` runs a function in a transaction. In an api both are there for every operation.
 *
 * @example
 * router.get('/orders/mine', stores({ db }), handler((ctx) => ctx.store(Order).find({ owner: ctx.state.user.name })), answer());
 */
export function stores(options: DatabaseOptions): ResourceMiddleware {
  checkOptions(options, databaseOptions, '`stores`');
  const all = new Stores(options.db, options.maxTimeMS);
  return setStores(() => all);
}
