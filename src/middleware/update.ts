import { asCompiled, type ModelInput } from '../model/model-input.ts';
import { openStore, type StoreOptions } from '../mongo/store.ts';
import { checkStoreOptions } from './check-store-options.ts';
import { needed, type ResourceMiddleware } from './context.ts';
import { recordId } from './record-id.ts';

/**
 * Makes `ctx.changes` to the record of `ctx.params.id` in one atomic command, with scope and `ctx.precondition` in its filter and one
 * revision step, and leaves the record in `ctx.record`. 404, 412, 422 for an embedded object that the body does not suffice to create, 409.
 *
 * @example
 * router.patch('/orders/:id', jsonBody(), ifMatch(), checkPatch(Order), update(Order, { db }), record());
 */
export function update(model: ModelInput, options: StoreOptions): ResourceMiddleware {
  checkStoreOptions(options, '`update`');
  const compiled = asCompiled(model);
  const store = openStore(compiled, options);
  return async function update(ctx, next) {
    const changes = needed(ctx.changes, 'checkPatch', 'update');
    ctx.record = await store.update({ id: recordId(ctx, compiled), scope: ctx.scope, precondition: ctx.precondition }, changes);
    await next();
  };
}
