import { asCompiled, type ModelInput } from '../model/compile/compile-model.ts';
import { openStore, type StoreOptions, storeOptions } from '../mongo/store.ts';
import { checkOptions } from '../options.ts';
import { canAnswer, ofChange, ofValues } from './parts/can-answer.ts';
import { needed, type ResourceMiddleware } from './parts/context.ts';
import { workOf } from './parts/exchange.ts';
import { readAddress } from './parts/read-address.ts';
import { requireChangesWithin } from './parts/require-within.ts';

/**
 * Makes `ctx.changes` to the record of `ctx.params.id` in one atomic command, with scope and `ctx.precondition` in its filter and one
 * revision step, and leaves the record in `ctx.record`. 404, 412, 422 for an embedded object that the body does not suffice to create, 409.
 * Below a `scope` the record must stay within it: 422 on the fields at fault, 500 where the client may write none of them.
 *
 * @example
 * router.patch('/orders/:id', jsonBody(), ifMatch(), checkPatch(Order), update(Order, { db }), record());
 */
export function update(model: ModelInput, options: StoreOptions): ResourceMiddleware {
  checkOptions(options, storeOptions, '`update`');
  const compiled = asCompiled(model);
  const store = openStore(compiled, options);
  return canAnswer([...ofChange, ...ofValues], async function update(ctx, next) {
    const changes = requireChangesWithin(ctx, needed(ctx.changes, 'checkPatch', 'update'));
    ctx.record = await store.update({ ...readAddress(ctx, compiled), precondition: ctx.precondition }, changes, workOf(ctx));
    await next();
  });
}
