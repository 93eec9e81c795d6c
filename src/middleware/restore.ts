import { asCompiled, type ModelInput } from '../model/compile/compile-model.ts';
import { type DatabaseOptions, databaseOptions, openCollection } from '../mongo/collection.ts';
import { checkOptions } from '../options.ts';
import { canAnswer, ofChange } from './parts/can-answer.ts';
import type { Context, ResourceMiddleware } from './parts/context.ts';
import { workOf } from './parts/exchange.ts';
import { readAddress } from './parts/read-address.ts';
import { requireDeletedAt } from './parts/require-deleted-at.ts';
import { withWritePart } from './parts/write-part.ts';

/**
 * Brings back the deleted record of `ctx.params.id`, of a model with `t.deletedAt()`, with the scope and `ctx.precondition` in the filter of the
 * write, and increments the revision. It leaves the record in `ctx.record`.
 *
 * 404 if there is no such record or if it is not deleted, 412 if it does not fulfil the precondition, 409 if another record has taken a value that
 * must be unique.
 *
 * @example
 * router.post('/orders/:id/restore', ifMatch(), restore(Order, { db }), record());
 */
export function restore(model: ModelInput, options: DatabaseOptions): ResourceMiddleware {
  checkOptions(options, databaseOptions, '`restore`');
  const compiled = asCompiled(model);
  requireDeletedAt(compiled, '`restore`');
  const collection = openCollection(compiled, options);
  const write = canAnswer([...ofChange, 'duplicate_key'], async function restore(ctx, next) {
    ctx.record = await collection.restore({ ...readAddress(ctx, compiled), precondition: ctx.precondition }, workOf(ctx));
    await next();
  });
  const findBefore = (ctx: Context) => {
    const { id, scope } = readAddress(ctx, compiled);
    return collection.seeing('only').findOne(id, scope, { fetchPrivate: true, precondition: ctx.precondition }, workOf(ctx));
  };
  return withWritePart({ kind: 'update', findBefore }, write);
}
