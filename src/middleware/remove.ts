import { asCompiled, type ModelInput } from '../model/compile/compile-model.ts';
import { openStore, type StoreOptions, storeOptions } from '../mongo/store.ts';
import { checkOptions } from '../options.ts';
import { canAnswer, ofChange } from './parts/can-answer.ts';
import type { ResourceMiddleware } from './parts/context.ts';
import { workOf } from './parts/exchange.ts';
import { readAddress } from './parts/read-address.ts';

/**
 * Deletes the record of `ctx.params.id`, with scope and `ctx.precondition` in the delete's own filter, and leaves what was deleted in
 * `ctx.record`. 404, 412.
 *
 * @example
 * router.delete('/orders/:id', ifMatch(), remove(Order, { db }), noContent());
 */
export function remove(model: ModelInput, options: StoreOptions): ResourceMiddleware {
  checkOptions(options, storeOptions, '`remove`');
  const compiled = asCompiled(model);
  const store = openStore(compiled, options);
  return canAnswer(ofChange, async function remove(ctx, next) {
    ctx.record = await store.remove({ ...readAddress(ctx, compiled), precondition: ctx.precondition }, workOf(ctx));
    await next();
  });
}
