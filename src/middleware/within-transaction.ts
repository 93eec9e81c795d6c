import { ConfigurationError } from '../errors.ts';
import { type WriteOptions, writeOptions } from '../mongo/relations/open-referencing.ts';
import { aFunction, anArrayOf, checkOptions, checkValue } from '../options.ts';
import { Stores } from '../store/stores.ts';
import { containBody } from './exchange/contain-errors.ts';
import type { Called, Context, ResourceMiddleware } from './exchange/context.ts';
import { descriptorOf, problemsOf } from './exchange/descriptor.ts';
import { passesOf } from './exchange/order.ts';
import { ofTransaction } from './exchange/problem-codes.ts';
import { runWithin, type WithinHook, type Written, writtenOf } from './exchange/run-within.ts';
import { runAlone, step } from './exchange/step.ts';
import { isUnchanged } from './exchange/write-part.ts';
import { surround } from './relations/request-stores.ts';

export type { WithinHook, Written } from './exchange/run-within.ts';

/**
 * Runs `insert`, `update`, `remove`, `restore`, `updateMany` or `removeMany`, and then hooks, in one transaction: what
 * the hooks write by `tx.store(…)`, or by `ctx.store`, is stored exactly when the write is. Hooks run in order, and
 * each is awaited: once for each record that the write has changed, and not for one that it has left as it was. A write
 * to many is 422 if its records are more than 16 MiB.
 *
 * If a hook throws, nothing is written: a `Problem` is answered as it is, and any other error is a 500 without details.
 * If the database says that the transaction may succeed when it is tried again, the write and the hooks run again, and
 * what the first attempt has set on `ctx` is taken back; what it has changed in place, such as `ctx.state`, stays. 501
 * on a standalone server.
 *
 * An update and a restore read the record of before first: one command more, and another one commits. `updateMany`
 * reads its records before and after, `removeMany` before. Without hooks nothing of this happens.
 *
 * @example
 * const updateAndLog = withinTransaction(
 *   update(Order, { db }),
 *   [(ctx, { tx }) => tx.store(Log, { scope: everything }).create({ by: ctx.state.user.name })],
 *   { db },
 * );
 * router.patch('/orders/:id', jsonBody(), checkPatch(Order), updateAndLog, record());
 */
export function withinTransaction(
  write: ResourceMiddleware,
  hooks: readonly Called<[ctx: Context, written: Written], unknown>[],
  options: WriteOptions,
): ResourceMiddleware {
  checkValue('The first argument of `withinTransaction`', write, aFunction);
  checkValue('The second argument of `withinTransaction`', hooks, anArrayOf('functions', aFunction[0]));
  checkOptions(options, writeOptions, '`withinTransaction`');
  const part = descriptorOf(write)?.writes;
  if (!part)
    throw new ConfigurationError(
      'The first argument of `withinTransaction` must be what `insert(…)`, `update(…)`, `remove(…)` or `restore(…)` returns, or `updateMany(…)` or `removeMany(…)`: it has to know the records.',
    );
  if (hooks.length === 0) return write;
  const stores = new Stores(options.db, options.maxTimeMS, { references: () => options.references });
  const problems = (method: string) => [...problemsOf(write, method), ...ofTransaction];
  return step({ problems, ...passesOf([write]) }, async function withinTransaction(ctx) {
    containBody(ctx);
    await surround(ctx, stores, async (tx) => {
      const found = (await part.findBefore?.(ctx)) ?? [];
      await runAlone(write, ctx);
      for (const one of await part.findWritten(ctx, found)) {
        if (isUnchanged(one)) continue;
        await runWithin(hooks as readonly WithinHook[], ctx, await writtenOf(one.before, one.after, { tx }));
      }
    });
  });
}
