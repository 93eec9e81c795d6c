import type { WriteOptions } from '../../mongo/relations/open-referencing.ts';
import { Stores } from '../../store/stores.ts';
import type { Context } from '../exchange/context.ts';
import { workOf } from '../exchange/exchange.ts';
import { runWithin, type WithinHook, writtenOf } from '../exchange/run-within.ts';
import { isUnchanged } from '../exchange/write-part.ts';
import { surround } from '../relations/request-stores.ts';

/**
 * Makes a handler run in one transaction with hooks, which run after it. What it writes by the driver alone is not part
 * of the transaction. If the transaction is tried again, the handler runs again, too.
 *
 * Hooks run once: with the record that the handler has saved, as it was before the first `ctx.save` and as it is after
 * the last, or with null for both if it has saved none. They do not run if all that the handler did was to save a
 * record that it had not changed.
 */
export function handlerWithin(
  run: (ctx: never) => unknown,
  hooks: readonly WithinHook<never, never, never>[],
  { db, maxTimeMS, references }: WriteOptions,
): (ctx: Context) => Promise<unknown> {
  const stores = new Stores(db, maxTimeMS, { references: () => references });
  return async function handlerWithin(ctx) {
    delete ctx.savedFrom; // what a hook before the handler has saved is no part of this transaction
    return surround(ctx, stores, async (tx) => {
      const { transaction } = workOf(ctx);
      const writes = transaction?.writes;
      const result = await (run as (ctx: Context) => unknown)(ctx);
      const { savedFrom: before, record: after } = ctx;
      const hasSaved = before && !isUnchanged({ before, after });
      if (hasSaved || !before || transaction?.writes !== writes) {
        const written = await writtenOf(hasSaved ? before : undefined, hasSaved ? after : undefined, { result, tx });
        await runWithin(hooks as readonly WithinHook[], ctx, written);
      }
      return result;
    });
  };
}
