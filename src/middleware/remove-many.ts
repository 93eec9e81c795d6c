import { asCompiled, type CompiledModel, type ModelInput } from '../model/compile/compile-model.ts';
import { findTargets } from '../mongo/collection/whole-records.ts';
import type { Affected } from '../mongo/collection/write-many.ts';
import { planRemoveMany } from '../mongo/collection/write-plan.ts';
import { living } from '../mongo/lifecycle/within.ts';
import { openReferencing, type WriteOptions, writeOptions } from '../mongo/relations/open-referencing.ts';
import { checkOptions } from '../options.ts';
import type { ResourceMiddleware } from './exchange/context.ts';
import { workOf } from './exchange/exchange.ts';
import { missing } from './exchange/order.ts';
import { ofCascade, ofMany } from './exchange/problem-codes.ts';
import { step } from './exchange/step.ts';
import type { WritePart } from './exchange/write-part.ts';
import { compileObserve } from './hooks/cascade-hooks.ts';
import { writerOf } from './relations/writer.ts';

/**
 * Deletes every record that `ctx.filterQuery` names, within `ctx.scope`, and leaves what it did in `ctx.affected`. It
 * is one transaction: all records are deleted, or none. 422 if more records match than the query allows, 501 on a
 * standalone server.
 *
 * @example
 * router.delete('/orders', filterQuery(Order), removeMany(Order, { db }), affected());
 */
export function removeMany(model: ModelInput, options: WriteOptions): ResourceMiddleware {
  checkOptions(options, writeOptions, '`removeMany`');
  const compiled = asCompiled(model);
  const collection = openReferencing(compiled, options);
  const observe = compileObserve(compiled, options.references, 'delete');
  const writes: WritePart = {
    findBefore: (ctx) =>
      findTargets(
        collection,
        { ...(ctx.filterQuery ?? missing('filterQuery', 'removeMany')), within: living(compiled, ctx.scope) },
        workOf(ctx),
      ),
    findWritten: (_ctx, before) => before.map((record) => ({ before: record })),
  };
  const problems = [...ofMany, ...ofCascade(compiled, options.references)];
  return step({ problems, needs: ['filterQuery'], leaves: ['affected'], writes }, async function removeMany(ctx) {
    const query = ctx.filterQuery ?? missing('filterQuery', 'removeMany');
    const targets = { ...query, within: living(compiled, ctx.scope), writer: writerOf(ctx, compiled, observe?.(ctx)) };
    ctx.affected = toAffected(compiled, await collection.writeMany(planRemoveMany(compiled, targets), workOf(ctx)));
  });
}

/** The same with ids in document form, as hooks know them. */
export function toAffected({ id: { leaf } }: CompiledModel, { ids, ...counts }: Affected): Affected {
  return { ...counts, ids: ids.map((id) => leaf.toDocument(id)) };
}
