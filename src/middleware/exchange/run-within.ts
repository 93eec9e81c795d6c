import { isProblem } from '../../errors.ts';
import { once } from '../../mistakes.ts';
import type { ChangedField } from '../../mongo/ledger/changed-fields.ts';
import type { StoredRecord } from '../../mongo/stored-record.ts';
import type { TransactionContext } from '../../store/store.ts';
import type { Context } from './context.ts';
import { exchangeOf } from './exchange.ts';

/** The results of a write, for the hooks in its transaction. */
export interface Written<Before = unknown, After = unknown> {
  /** The record before the write as a document; null for a create, and for a custom operation that has saved none. */
  readonly before: Before;
  /** The record after the write as a document; null for a delete, and for a custom operation that has saved none. */
  readonly after: After;
  /**
   * The fields whose values the write has changed, without the values of private ones: what an audit log may keep. They
   * are compared when they are asked for. None for a custom operation that has saved no record.
   */
  readonly changes: readonly ChangedField[];
  /** The transaction of the write. */
  readonly tx: TransactionContext;
  /** The result of the handler of a custom operation. */
  readonly result?: unknown;
}

/**
 * A function that runs in the transaction of a write. It may run several times for one write: see `withinTransaction`.
 */
export type WithinHook<Ctx = Context, Before = unknown, After = unknown> = (ctx: Ctx, written: Written<Before, After>) => unknown;

const loadLedger = once(() => import('../../mongo/ledger/changed-fields.ts'));

/** Makes what hooks are given of a write, from the records of before and after it. */
export async function writtenOf(
  before: StoredRecord | undefined,
  after: StoredRecord | undefined,
  rest: Pick<Written, 'tx' | 'result'>,
): Promise<Written> {
  const { changedFields } = await loadLedger();
  const model = (after ?? before)?.model;
  const changes = once(() => (model ? changedFields(model, before, after) : []));
  return {
    before: before?.document ?? null,
    after: after?.document ?? null,
    ...rest,
    get changes() {
      return changes();
    },
  };
}

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
