import { asCompiled, type ModelInput } from '../model/compile/compile-model.ts';
import { planUpdate } from '../mongo/collection/write-plan.ts';
import { requireChangesWithin } from '../mongo/query/require-within.ts';
import { openReferencing, type WriteOptions, writeOptions } from '../mongo/relations/open-referencing.ts';
import { checkOptions } from '../options.ts';
import type { Context, ResourceMiddleware } from './exchange/context.ts';
import { workOf } from './exchange/exchange.ts';
import { missing } from './exchange/order.ts';
import { ofChange, ofLedger, ofReferences, ofValues } from './exchange/problem-codes.ts';
import { targetOf } from './exchange/read-address.ts';
import { step } from './exchange/step.ts';
import { findCurrent, updatePart } from './exchange/write-part.ts';
import { writerOf } from './relations/writer.ts';

/**
 * Applies `ctx.changes` to the record of `ctx.params.id` in one atomic command, with the scope and `ctx.precondition`
 * in its filter, and increments the revision. It leaves the record in `ctx.record`.
 *
 * 404 if there is no such record, 412 if it does not fulfil the precondition, 409 if a value must be unique, 422 if the
 * body does not suffice to create an embedded object. Below a `scope` the record must stay within it: 422 names the
 * fields at fault; if the client may write none of them, it is 500. With `references`, so is a reference that leads to
 * no record within the client's reach.
 *
 * @example
 * router.patch('/orders/:id', jsonBody(), ifMatch(), checkPatch(Order), update(Order, { db }), record());
 */
export function update(model: ModelInput, options: WriteOptions): ResourceMiddleware {
  checkOptions(options, writeOptions, '`update`');
  const compiled = asCompiled(model);
  const collection = openReferencing(compiled, options);
  const requireChanges = (ctx: Context, writer = writerOf(ctx, compiled)) => {
    const changes = ctx.changes ?? missing('changes', 'update');
    return writer.writeScope ? requireChangesWithin(writer, changes) : changes;
  };
  const findBefore = (ctx: Context) => {
    requireChanges(ctx); // with hooks as without them, 422 comes before 404 and 412
    return findCurrent(ctx, compiled, collection);
  };
  const problems = [...ofChange, ...ofValues, ...ofReferences(compiled), ...ofLedger(compiled)];
  const writes = updatePart(findBefore);
  return step({ problems, needs: ['changes'], leaves: ['record'], writes }, async function update(ctx) {
    const writer = writerOf(ctx, compiled);
    const changes = requireChanges(ctx, writer);
    ctx.record = await collection.write(planUpdate(compiled, targetOf(ctx, compiled, writer), changes), workOf(ctx));
  });
}
