import { asCompiled, type CompiledModel, type ModelInput } from '../model/compile/compile-model.ts';
import { leadsToPrivate } from '../model/read/private-fields.ts';
import type { Changes } from '../model/write/plan-changes.ts';
import { findAgain, findTargets } from '../mongo/collection/whole-records.ts';
import { planUpdateMany } from '../mongo/collection/write-plan.ts';
import { living } from '../mongo/lifecycle/within.ts';
import { requireChangesWithin } from '../mongo/query/require-within.ts';
import { openReferencing, type WriteOptions, writeOptions } from '../mongo/relations/open-referencing.ts';
import { checkOptions } from '../options.ts';
import type { ResourceMiddleware } from './exchange/context.ts';
import { workOf } from './exchange/exchange.ts';
import { missing } from './exchange/order.ts';
import { ofMany, ofReferences, ofValues } from './exchange/problem-codes.ts';
import { step } from './exchange/step.ts';
import type { WritePart } from './exchange/write-part.ts';
import { writerOf } from './relations/writer.ts';
import { toAffected } from './remove-many.ts';

/**
 * Applies `ctx.changes` to every record that `ctx.filterQuery` names, within `ctx.scope`, and leaves what it did in
 * `ctx.affected`. It is one transaction: all records are changed, each with one step of its revision, or none.
 *
 * 422 if more records match than the query allows, or if some cannot take the changes: each of those is named by its
 * id. 409 if a value must be unique, 501 on a standalone server. Below a `scope` the records must stay within it.
 *
 * @example
 * router.patch('/orders', filterQuery(Order), jsonBody(), checkPatch(Order), updateMany(Order, { db }), affected());
 */
export function updateMany(model: ModelInput, options: WriteOptions): ResourceMiddleware {
  checkOptions(options, writeOptions, '`updateMany`');
  const compiled = asCompiled(model);
  const collection = openReferencing(compiled, options);
  const writes: WritePart = {
    findBefore: (ctx) =>
      findTargets(
        collection,
        { ...(ctx.filterQuery ?? missing('filterQuery', 'updateMany')), within: living(compiled, ctx.scope) },
        workOf(ctx),
      ),
    async findWritten(ctx, before) {
      const after = new Map((await findAgain(collection, before, workOf(ctx))).map((record) => [record.idText, record]));
      return before.map((record) => ({ before: record, after: after.get(record.idText) }));
    },
  };
  const problems = [...ofMany, ...ofValues, ...ofReferences(compiled)];
  return step({ problems, needs: ['filterQuery', 'changes'], leaves: ['affected'], writes }, async function updateMany(ctx) {
    const query = ctx.filterQuery ?? missing('filterQuery', 'updateMany');
    const writer = writerOf(ctx, compiled);
    const changes = requireChangesWithin(writer, ctx.changes ?? missing('changes', 'updateMany'));
    const targets = { ...query, within: living(compiled, ctx.scope), writer };
    const done = await collection.writeMany(planUpdateMany(compiled, targets, changes), workOf(ctx));
    ctx.affected = toAffected(compiled, changes.blind || writesPrivate(compiled, changes) ? { ...done, modified: done.matched } : done);
  });
}

/**
 * Whether changes write what clients may not read: how many records they have changed would tell how many had the value
 * before.
 */
function writesPrivate({ root }: CompiledModel, { assignments }: Changes): boolean {
  return assignments.some(({ path }) => leadsToPrivate(root, path.split('.')));
}
