import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { isProblem, Problem } from '../../errors.ts';
import type { CommandPlan } from './command-plan.ts';
import { budgetSpent, replicaSetRequired, transactionOutlived, writeConflict } from './outcome.ts';
import { reachabilityOf } from './reachability.ts';
import { isServerError, isSocketError, serverCodes } from './server-error.ts';
import { endSession, openSession } from './sessions.ts';
import { BudgetSpent, graceMS } from './time-limit.ts';
import { hasErrorLabel, Transaction } from './transaction.ts';
import type { Work } from './work.ts';

/** The labels by which the database says what may be tried again: the whole transaction, or only its commit. */
const labels = { transient: 'TransientTransactionError', unknownCommit: 'UnknownTransactionCommitResult' } as const;

/**
 * The pause before the second attempt in milliseconds, and the longest one. Each is half as long again as the one
 * before it.
 */
const [firstPauseMS, longestPauseMS] = [5, 500];

/** The shortest limit that the database can have for the life of a transaction (`transactionLifetimeLimitSeconds`). */
const shortestLifetimeMS = 1_000;

/**
 * Runs a function in a transaction, which is committed by a majority of the servers when the function returns. If the
 * function throws, or the commit fails, nothing of it is stored.
 *
 * The function is run again, in a new transaction, if the database says that the conflict or the failure may pass. The
 * pauses in between grow and are random, so that competitors do not meet again. No attempt begins after `maxTimeMS`, or
 * after the request was given up. If other writes were faster until then, it throws `write_conflict` (503).
 *
 * A commit begins only if a caller still waits for it. After it has begun, its outcome may be unknown:
 * `write_outcome_unknown` (504). Every other error means that nothing is stored. On a standalone server it throws
 * `replica_set_required` (501).
 *
 * Within another transaction of the same work, the function becomes a part of that one, and is not run again alone.
 */
export async function runTransaction<T>(db: Db, work: Work, maxTimeMS: number, run: (transaction: Transaction) => Promise<T>): Promise<T> {
  const { transaction } = work;
  if (transaction) return transaction.join(() => run(transaction));
  requireReplicaSet(db);
  const begunAt = performance.now();
  let hasLost = false;
  for (let attempt = 0; ; attempt++) {
    const attemptAt = performance.now();
    try {
      return await runOnce(db, work, maxTimeMS, run);
    } catch (error) {
      if (performance.now() - attemptAt >= shortestLifetimeMS && hasOutlivedLimit(error)) throw transactionOutlived(error);
      if (hasLost && isBudgetSpent(error)) throw writeConflict(error);
      hasLost ||= isProblem(error) && error.code === 'write_conflict';
      const pauseMS = Math.random() * Math.min(firstPauseMS * 1.5 ** attempt, longestPauseMS);
      if (!isTransient(error) || performance.now() + pauseMS - begunAt > maxTimeMS) throw error;
      await pause(pauseMS);
      work.refuseIfGone();
    }
  }
}

/**
 * Carries out a write of several commands as one: as a part of the transaction of the work, or in one of its own. In
 * the former case its error may be caught, and the transaction continues: what must not be half done belongs in
 * `transaction.join`.
 */
export type Transact = <T>(work: Work, run: (transaction: Transaction) => Promise<T>) => Promise<T>;

/** Decides for all writes of a collection whether they need a transaction of their own. */
export function compileTransact(db: Db, maxTimeMS: number): Transact {
  return function transact(work, run) {
    work.limitTo(maxTimeMS);
    return work.transaction ? run(work.transaction) : runTransaction(db, work, maxTimeMS, run);
  };
}

/**
 * Runs a write whose code is loaded first. A transaction of the work is not committed before the write has begun. If
 * the transaction has ended meanwhile, the write does not begin: it would be no part of it.
 */
export async function runLoaded<Code, T>(work: Work, load: () => Promise<Code>, run: (code: Code) => Promise<T>): Promise<T> {
  const { transaction } = work;
  async function begin() {
    const code = await load();
    transaction?.requireOpen();
    return { running: run(code) }; // in an object, so that it is begun and not awaited
  }
  const { running } = await (transaction?.join(begin) ?? begin());
  return running;
}

/**
 * Whether an attempt has failed for a reason that may pass. The driver throws errors of Node's sockets as they are,
 * without its label.
 */
function isTransient(error: unknown): boolean {
  if (isProblem(error) && error.code === 'write_outcome_unknown') return false;
  return hasErrorLabel(error, labels.transient) || (isProblem(error) && isSocketError(error.cause));
}

/**
 * Whether the database has ended the transaction between two commands: it has no other code for a transaction that has
 * lasted too long. Another attempt would last as long.
 */
function hasOutlivedLimit(error: unknown): boolean {
  const cause = isProblem(error) ? error.cause : error;
  return isServerError(cause, serverCodes.noSuchTransaction) && cause.message.includes('has been aborted');
}

/** Whether the commands of the request have taken all of its time: by our own clock, or by that of the database. */
function isBudgetSpent(error: unknown): boolean {
  if (!isProblem(error) || error.code !== 'write_timeout') return false;
  return error.cause instanceof BudgetSpent || isServerError(error.cause, serverCodes.maxTimeMSExpired);
}

async function runOnce<T>(db: Db, work: Work, maxTimeMS: number, run: (transaction: Transaction) => Promise<T>): Promise<T> {
  work.refuseIfGone();
  const session = openSession(db);
  const transaction = new Transaction(session);
  session.startTransaction({ writeConcern: { w: 'majority' }, readConcern: { level: 'snapshot' }, readPreference: 'primary' });
  work.transaction = transaction;
  try {
    const result = await Promise.race([run(transaction), transaction.stopped]);
    work.refuseIfGone();
    transaction.close();
    work.transaction = undefined;
    await commit(db, transaction, work, maxTimeMS);
    return result;
  } catch (error) {
    transaction.rollBack();
    const { failure } = transaction;
    throw failure && isTransient(failure.error) ? failure.error : error;
  } finally {
    const ended = endSession(db, transaction);
    if (!transaction.isCommitted) await untilFree(work, transaction, ended);
    work.transaction = undefined;
  }
}

/**
 * Waits until the locks are free, so that they are before the answer and before the next attempt. A database that does
 * not react is not waited for beyond the deadline of the request, and neither is a caller who has gone.
 */
async function untilFree(work: Work, transaction: Transaction, ended: Promise<void>): Promise<void> {
  if (work.isGone || transaction.isPending) return;
  work.transaction = transaction; // so that it learns if the caller leaves meanwhile
  await Promise.race([ended, transaction.untilStopped(Math.min(graceMS, work.untilDeadline))]);
}

/**
 * Commits, and asks again while something of the budget is left if the database does not say what became of it. The
 * second beyond the budget is for a database that does not answer.
 */
function commit(db: Db, transaction: Transaction, work: Work, maxTimeMS: number): Promise<void> {
  const plan: CommandPlan = {
    isWrite: true,
    need: 'primary',
    maxTimeMS,
    reachability: reachabilityOf(db.client),
    explain: explainCommit,
  };
  return work.run(plan, (command) =>
    command.count(async () => {
      command.countHandOver();
      while (!command.aborted) {
        try {
          await transaction.session.commitTransaction();
          transaction.isCommitted = true;
          return;
        } catch (error) {
          const isUnknown = hasErrorLabel(error, labels.unknownCommit) || isSocketError(error);
          if (!isUnknown || command.timeLeft <= firstPauseMS) throw error;
          await pause(firstPauseMS);
        }
      }
    }),
  );
}

function explainCommit(error: unknown, { handOvers }: { readonly handOvers: number }): unknown {
  if (isProblem(error)) return error;
  if (error instanceof BudgetSpent) return budgetSpent(error);
  const isUncommitted = handOvers === 0 || (hasErrorLabel(error, labels.transient) && !hasErrorLabel(error, labels.unknownCommit));
  if (isUncommitted && isServerError(error, serverCodes.writeConflict)) return writeConflict(error);
  if (isUncommitted)
    return new Problem({ code: 'database_unavailable', detail: 'The database is not available at the moment; try again.', cause: error });
  const detail = 'The database did not answer in time; read the records to see whether they were written.';
  return new Problem({ code: 'write_outcome_unknown', detail, cause: error });
}

/** A standalone server has no transactions. The check is made again by the server: it may not be known yet. */
function requireReplicaSet(db: Db): void {
  if (reachabilityOf(db.client).isStandalone) throw replicaSetRequired('transactions');
}
