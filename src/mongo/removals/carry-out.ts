import { PermanentFailure } from '../../errors.ts';
import { listNames } from '../../hints.ts';
import { runTransaction } from '../driver/run-transaction.ts';
import { Work } from '../driver/work.ts';
import { keptCaller } from '../ledger/actor.ts';
import type { RemovalSettings } from './begin.ts';
import { followStep } from './follow-step.ts';
import { type Counts, firstWait, openRemovalRows, type Progress, type RemovalRow, type RemovalStep } from './removal-rows.ts';

/** The most records of one transaction. */
const mostAtOnce = 500;

/** How far the present run has come with what was put off: the last pass in which something went, or might go. */
interface Run {
  advanced?: number;
}

/** What one transaction has come to. */
interface Outcome extends Progress {
  /** Whether there may be more to do. */
  readonly hasMore: boolean;
}

/** What a worker is told of an attempt. */
interface Attempt {
  readonly signal: AbortSignal;
  readonly attempt: number;
}

/** Carries out a removal until nothing is left. */
export type CarryOutRemoval = (row: RemovalRow, given: Attempt) => Promise<void>;

/**
 * Compiles what carries out a removal, transaction by transaction: each removes records that refer to some which are
 * gone, or takes their references away, and notes what it has removed as the next step. It can be killed at any time:
 * what is left stands in the steps. Records that others forbid to remove are put aside until the rest is done. If they
 * are forbidden then too, the removal stops: it throws a {@link PermanentFailure}.
 */
export function compileCarryOut(settings: RemovalSettings): CarryOutRemoval {
  const { db, maxTimeMS, model, references, keeps } = settings;
  const rows = openRemovalRows(db, model, maxTimeMS);

  /**
   * Each attempt that does not get on has smaller transactions than the one before: they may have been too large. With
   * each that succeeds they grow again, by a tenth: if they are still too large, few fail.
   */
  return async function carryOut(row, { signal, attempt }) {
    let most = Math.ceil(mostAtOnce / 2 ** (attempt - 1));
    const run: Run = {};
    let next: RemovalRow | undefined = row.status === 'done' ? undefined : row;
    while (next) {
      next = await takeStep(next, run, most, signal);
      most = Math.min(Math.ceil(1.1 * most), mostAtOnce);
      signal.throwIfAborted();
    }
    await rows.end(row, new Work());
  };

  /** Returns the removal as it is now; undefined if there is nothing more to do. */
  async function takeStep(row: RemovalRow, run: Run, most: number, signal: AbortSignal): Promise<RemovalRow | undefined> {
    const work = new Work();
    work.caller = keptCaller(row);
    const leave = () => work.leave(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
    try {
      const { hasMore, ...progress } = await runTransaction(db, work, maxTimeMS, () => followNext(row, run, most, work));
      const shown = await rows.show(row, progress, new Work());
      if (!shown) throw new Error('The lease of a removal was lost: another worker has it.');
      if (progress.status === 'stopped') throw new PermanentFailure(progress.reason);
      return hasMore ? { ...row, ...shown } : undefined;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  async function followNext(row: RemovalRow, run: Run, most: number, work: Work): Promise<Outcome> {
    const step = await rows.next(row, work);
    if (!step) return { ...(await rows.count(row, none, work)), status: 'done', hasMore: false };
    if (step.pass >= firstWait) {
      run.advanced ??= ((await rows.next(row, work, 'last')) ?? step).pass - 1; // so that each is tried again
      if (step.pass > run.advanced + 1)
        return { ...(await rows.count(row, none, work)), status: 'stopped', reason: reasonOf(step), hasMore: false };
    }
    const counts = await followStep(step, { row, rows, references, keeps, work, most });
    if (run.advanced !== undefined && counts.removed > 0) run.advanced = Math.max(run.advanced, step.pass);
    return { ...(await rows.count(row, counts, work)), status: 'running', hasMore: true };
  }
}

const none: Counts = { removed: 0, changed: 0 };

function reasonOf({ by }: RemovalStep): string {
  return `What is left is referred to by ${listNames(by)}, which forbids to delete it.`;
}
