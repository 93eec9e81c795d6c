import { asCompiled, type ModelInput } from '../model/model-input.ts';
import { openStore, type StoreOptions } from '../mongo/store.ts';
import type { ResourceMiddleware } from './context.ts';
import { recordId } from './record-id.ts';

/** Options of {@link findRecord} and `findPage`. */
export interface FindOptions extends StoreOptions {
  /** Private fields are fetched too, for hooks; they are never sent. @default false */
  readonly fetchPrivate?: boolean;
}

/**
 * Finds the record of `ctx.params.id` within `ctx.scope` and leaves it in `ctx.record`; 404 when there is none.
 *
 * @example
 * router.get('/orders/:id', findRecord(Order, { db }), record());
 */
export function findRecord(model: ModelInput, { fetchPrivate = false, ...options }: FindOptions): ResourceMiddleware {
  const compiled = asCompiled(model);
  const store = openStore(compiled, options);
  return async function findRecord(ctx, next) {
    ctx.record = await store.findOne(recordId(ctx, compiled), ctx.scope, fetchPrivate);
    await next();
  };
}
