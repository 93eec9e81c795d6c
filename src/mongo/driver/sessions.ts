import { setTimeout as pause } from 'node:timers/promises';
import type { ClientSession, Db, MongoClient } from 'mongodb';
import { askWithin } from './ask-within.ts';
import { isRetryableRead, isServerError } from './server-error.ts';
import { graceMS } from './time-limit.ts';
import { traceCall, traceCommit } from './trace/trace-database.ts';
import type { Transaction } from './transaction.ts';

/**
 * How long the answer to a command is waited for after its caller has gone, and to the first one of this file, in
 * milliseconds.
 */
const patienceMS = 500;

/** The longest time that one command of this file waits for its answer, in milliseconds. */
const longestMS = 32_000;

/** The open sessions of each client. */
const open = new WeakMap<MongoClient, Set<ClientSession>>();

/** Opens a session for a transaction. */
export function openSession(db: Db): ClientSession {
  const session = traceCommit(db, db.client.startSession());
  const all = open.get(db.client) ?? new Set();
  open.set(db.client, all.add(session));
  session.once('ended', () => all.delete(session));
  return session;
}

/** Waits until the sessions of a client have ended, and no longer than `ms` milliseconds. */
export async function untilSessionsEnd(client: MongoClient, ms: number): Promise<void> {
  const ended = [...(open.get(client) ?? [])].map((session) => new Promise<unknown>((resolve) => session.once('ended', resolve)));
  if (ended.length > 0) await within(ms, Promise.all(ended));
}

/**
 * Ends the session of a transaction. What was not committed is aborted before: when this resolves, the database holds
 * no lock for it, and never will, unless it has not answered for 80 s. MongoDB ends a transaction of 60 s itself,
 * within 30 s more. It does not reject: what became of the transaction is known already, or never will be.
 */
export function endSession(db: Db, transaction: Transaction): Promise<void> {
  return end(db, transaction)
    .catch(() => undefined)
    .finally(() => transaction.end());
}

async function end(db: Db, transaction: Transaction): Promise<void> {
  const { session } = transaction;
  try {
    await transaction.untilEnded(patienceMS);
    if (transaction.mayBeginIn !== undefined) await supersede(db, transaction, transaction.mayBeginIn);
    else if (transaction.mayHoldLocks) await abort(db, transaction);
  } finally {
    session.abortTransaction = async () => undefined; // `endSession()` would send it once more, and wait for it without an end
    await session.endSession();
  }
}

/**
 * The driver asks for its own abort at most twice, waits without a limit, does not say whether the database has
 * answered, and sends none after a commit. A committed transaction stays so.
 */
async function abort(db: Db, transaction: Transaction): Promise<void> {
  const { session } = transaction;
  transaction.cancel();
  await untilAnswered(session, (signal) => {
    const answer = db.client.db('admin').command({ abortTransaction: 1 }, { session, signal } as object);
    return traceCall(db, 'abortTransaction', answer);
  });
}

/**
 * Ends a transaction whose first command was not answered. To abort it would not suffice: the abort goes through
 * another connection, and may arrive before the command, which would then begin the transaction. So the session begins
 * another one: by its higher number, the database ends the older one, and refuses it if it arrives later.
 */
async function supersede(db: Db, transaction: Transaction, collection: string): Promise<void> {
  const { session } = transaction;
  const forgotten = session.abortTransaction(); // before the calls end: the driver would take the transaction for begun then, and send this
  transaction.cancel();
  await within(graceMS, Promise.allSettled([forgotten, transaction.untilEnded(graceMS)]));
  await untilAnswered(session, (signal) => {
    if (!session.inTransaction()) session.startTransaction({ readConcern: { level: 'local' }, readPreference: 'primary' });
    return db.collection(collection).findOne({}, { session, signal, projection: { _id: 1 }, hint: { _id: 1 } });
  });
  await abort(db, transaction);
}

/** Asks until the database answers, be it with an error. One that says that the server is no primary is no answer. */
async function untilAnswered(session: ClientSession, ask: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  for (let limitMS = patienceMS; limitMS <= longestMS && !session.hasEnded; limitMS *= 2) {
    try {
      return void (await askWithin(limitMS, ask));
    } catch (error) {
      if (isServerError(error) && !isRetryableRead(error)) return;
      await pause(limitMS / 4, undefined, { ref: false });
    }
  }
}

async function within(ms: number, ended: Promise<unknown>): Promise<void> {
  await Promise.race([ended, pause(ms, undefined, { ref: false })]);
}
