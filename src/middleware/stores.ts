import { type DatabaseOptions, databaseOptions } from '../mongo/collection/collection.ts';
import { checkOptions } from '../options.ts';
import { Stores } from '../store/stores.ts';
import type { ResourceMiddleware } from './exchange/context.ts';
import { step } from './exchange/step.ts';
import { requestStores } from './relations/request-stores.ts';

/**
 * Gives handlers, guards and hooks the records of any model: `ctx.store(Order, { scope })` opens a store, whose
 * commands share the deadline of the request, and `ctx.transaction(async (tx) => …)` runs a function in a transaction.
 * In an api both are there for every operation, and a store without a `scope` has that of its model's resource. Here
 * there are no resources: each store must be given its scope.
 *
 * A store refuses to be used after its request, which ends when the body of the answer has ended or the connection is
 * gone.
 *
 * @example
 * const count = handler((ctx) => ctx.store(Order, { scope: { owner: ctx.state.user.name } }).count({}));
 * router.get('/orders/count', stores({ db }), count, answer());
 */
export function stores(options: DatabaseOptions): ResourceMiddleware {
  checkOptions(options, databaseOptions, '`stores`');
  const all = new Stores(options.db, options.maxTimeMS);
  const slots = requestStores(() => all);
  return step({}, function stores(ctx) {
    Object.assign(ctx, slots);
  });
}
