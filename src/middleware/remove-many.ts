import type { CompiledModel } from '../model/compile/compile-model.ts';
import { asCompiled, type ModelInput } from '../model/compile/compile-model.ts';
import { type DatabaseOptions, databaseOptions, openCollection } from '../mongo/collection.ts';
import type { Affected } from '../mongo/write-many.ts';
import { checkOptions } from '../options.ts';
import { canAnswer, ofMany } from './parts/can-answer.ts';
import { needed, type ResourceMiddleware } from './parts/context.ts';
import { workOf } from './parts/exchange.ts';

/**
 * Deletes every record that `ctx.filterQuery` names, within `ctx.scope`, and leaves what it did in `ctx.affected`. It is one transaction: all
 * records are deleted, or none. 422 if more records match than the query allows, 501 on a standalone server.
 *
 * @example
 * router.delete('/orders', filterQuery(Order), removeMany(Order, { db }), affected());
 */
export function removeMany(model: ModelInput, options: DatabaseOptions): ResourceMiddleware {
  checkOptions(options, databaseOptions, '`removeMany`');
  const compiled = asCompiled(model);
  const collection = openCollection(compiled, options);
  return canAnswer(ofMany, async function removeMany(ctx, next) {
    const query = needed(ctx.filterQuery, 'filterQuery', 'removeMany');
    ctx.affected = toAffected(compiled, await collection.removeMany({ ...query, scope: ctx.scope }, workOf(ctx)));
    await next();
  });
}

/** The same with ids in document form, as hooks know them. */
export function toAffected({ id: { leaf } }: CompiledModel, { ids, ...counts }: Affected): Affected {
  return { ...counts, ids: ids.map((id) => leaf.toDocument(id)) };
}
