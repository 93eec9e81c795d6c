import { asCompiled, type ModelInput } from '../model/compile/compile-model.ts';
import { planRemove } from '../mongo/collection/write-plan.ts';
import { openReferencing, type WriteOptions, writeOptions } from '../mongo/relations/open-referencing.ts';
import { checkOptions } from '../options.ts';
import type { ResourceMiddleware } from './exchange/context.ts';
import { workOf } from './exchange/exchange.ts';
import { ofCascade, ofChange, ofLedger } from './exchange/problem-codes.ts';
import { targetOf } from './exchange/read-address.ts';
import { step } from './exchange/step.ts';
import type { WritePart } from './exchange/write-part.ts';
import { compileObserve } from './hooks/cascade-hooks.ts';
import { writerOf } from './relations/writer.ts';

/**
 * Deletes the record of `ctx.params.id`, with the scope and `ctx.precondition` in the filter of the delete, and leaves
 * the deleted record in `ctx.record`. A record of a model with `t.deletedAt()` is not removed, but marked as deleted.
 * 404 if there is no such record, 412 if it does not fulfil the precondition.
 *
 * @example
 * router.delete('/orders/:id', ifMatch(), remove(Order, { db }), noContent());
 */
export function remove(model: ModelInput, options: WriteOptions): ResourceMiddleware {
  checkOptions(options, writeOptions, '`remove`');
  const compiled = asCompiled(model);
  const collection = openReferencing(compiled, options);
  const observe = compileObserve(compiled, options.references, 'delete');
  const problems = [...ofChange, ...ofLedger(compiled), ...ofCascade(compiled, options.references)];
  const writes: WritePart = { findWritten: ({ record }) => [{ before: record }] };
  return step({ problems, leaves: ['record'], writes }, async function remove(ctx) {
    const target = targetOf(ctx, compiled, writerOf(ctx, compiled, observe?.(ctx)));
    ctx.record = await collection.write(planRemove(compiled, target), workOf(ctx));
  });
}
