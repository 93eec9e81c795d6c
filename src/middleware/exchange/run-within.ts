import { isProblem } from '../../errors.ts';
import type { TransactionContext } from '../../store/store.ts';
import type { Context } from './context.ts';
import { exchangeOf } from './exchange.ts';

/** The results of a write, for the hooks in its transaction. */
export interface Written<Before = unknown, After = unknown> {
  /** The record before the write as a document; null for a create, and for a custom operation that has saved none. */
  readonly before: Before;
  /** The record after the write as a document; null for a delete, and for a custom operation that has saved none. */
  readonly after: After;
  /** The transaction of the write. */
  readonly tx: TransactionContext;
  /** The result of the handler of a custom operation. */
  readonly result?: unknown;
}

/**
 * A function that runs in the transaction of a write. It may run several times for one write: see `withinTransaction`.
 */
export type WithinHook<Ctx = Context, Before = unknown, After = unknown> = (ctx: Ctx, written: Written<Before, After>) => unknown;

/**
 * Runs hooks in order. An error that is not a problem becomes one that tells the client nothing: its message is about
 * the hook, and not about the request.
 */
export async function runWithin(hooks: readonly WithinHook[], ctx: Context, written: Written): Promise<void> {
  try {
    for (const hook of hooks) {
      exchangeOf(ctx).throwIfGivenUp();
      await hook(ctx, written);
    }
  } catch (error) {
    const speaks = !isProblem(error) && error instanceof Error && 'expose' in error;
    throw speaks ? new Error(`A hook in \`within\` threw: ${error.message}`, { cause: error }) : error;
  }
}
