import { asCompiled, type ModelInput } from '../model/compile/compile-model.ts';
import type { WriteRules } from '../model/write/compile-writes.ts';
import { planRestore } from '../mongo/collection/write-plan.ts';
import { requireDeletedAt } from '../mongo/lifecycle/lifecycle.ts';
import { isRestoredWithOthers } from '../mongo/relations/cascade/cascade-restores.ts';
import { openReferencing, type WriteOptions, writeOptions } from '../mongo/relations/open-referencing.ts';
import { checkOptions, type LegalOptions, trueOrFalse } from '../options.ts';
import type { Context, ResourceMiddleware } from './exchange/context.ts';
import { workOf } from './exchange/exchange.ts';
import { ofChange, ofLedger } from './exchange/problem-codes.ts';
import { targetOf } from './exchange/read-address.ts';
import { step } from './exchange/step.ts';
import { findCurrent, updatePart } from './exchange/write-part.ts';
import { compileObserve } from './hooks/cascade-hooks.ts';
import { compileWriter } from './relations/writer.ts';

/** Options of {@link restore}. */
export interface RestoreOptions extends WriteOptions, Pick<WriteRules, 'explicitWrites'> {}

const legal: LegalOptions<RestoreOptions> = { ...writeOptions, explicitWrites: trueOrFalse };

/**
 * Brings back the deleted record of `ctx.params.id`, of a model with `t.deletedAt()`, with the scope and
 * `ctx.precondition` in the filter of the write, and increments the revision. It leaves the record in `ctx.record`.
 *
 * 404 if there is no such record or if it is not deleted, 412 if it does not fulfil the precondition, 409 if another
 * record has taken a value that must be unique. With `references`, it is one transaction with what the same delete has
 * taken along, and 422 if a record that it cannot be without is gone.
 *
 * @example
 * router.post('/orders/:id/restore', ifMatch(), restore(Order, { db }), record());
 */
export function restore(model: ModelInput, options: RestoreOptions): ResourceMiddleware {
  checkOptions(options, legal, '`restore`');
  const compiled = asCompiled(model);
  requireDeletedAt(compiled, '`restore`');
  const collection = openReferencing(compiled, options);
  const observe = compileObserve(compiled, options.references, 'restore');
  const writerOf = compileWriter(compiled, options.explicitWrites);
  const isThrough = options.references !== undefined && isRestoredWithOthers(compiled, options.references);
  const ofOthers = isThrough ? (['validation_failed', 'replica_set_required'] as const) : [];
  const ofHooks = observe ? (['too_many_references'] as const) : [];
  const findBefore = (ctx: Context) => findCurrent(ctx, compiled, collection, 'only');
  const problems = [...ofChange, ...ofLedger(compiled), 'duplicate_key' as const, ...ofOthers, ...ofHooks];
  const writes = updatePart(findBefore);
  return step({ problems, leaves: ['record'], writes }, async function restore(ctx) {
    // It comes back where it was: a 409 names no field that the scope fixes.
    const target = targetOf(ctx, compiled, { ...writerOf(ctx, observe?.(ctx)), writeScope: ctx.writeScope });
    ctx.record = await collection.write(planRestore(compiled, target), workOf(ctx));
  });
}
