import { setTimeout as pause } from 'node:timers/promises';
import type { ClientSession, Db, MongoClient } from 'mongodb';
import { askWithin } from './ask-within.ts';
import { isServerError } from './server-error.ts';
import { graceMS } from './time-limit.ts';
import { traceSession } from './trace/trace-database.ts';
import type { Transaction } from './transaction.ts';

/** How long the answer to a command is waited for after its caller has gone, in milliseconds. */
const patienceMS = 500;

/**
 * The longest time that one command of this file waits for its answer, in milliseconds. The first one waits for
 * {@link graceMS}.
 */
const longestMS = 32_000;

/** The open sessions of each client. */
const open = new WeakMap<MongoClient, Set<ClientSession>>();

/** Opens a session for a transaction. */
export function openSession(db: Db): ClientSession {
  const session = traceSession(db, db.client.startSession());
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
    else if (transaction.isUnanswered || transaction.isCommitting) await abort(db, transaction);
  } finally {
    await session.endSession();
  }
}

/**
 * The driver does not say whether the database has answered its own abort, and sends none after a commit. A committed
 * transaction stays so.
 */
async function abort(db: Db, transaction: Transaction): Promise<void> {
  const { session } = transaction;
  transaction.cancel();
  await untilAnswered(session, (signal) => db.client.db('admin').command({ abortTransaction: 1 }, { session, signal } as object));
}

/**
 * Ends a transaction whose first command was not answered. To abort it would not suffice: the abort goes through
 * another connection, and may arrive before the command, which would then begin the transaction. So the session begins
 * another one: by its higher number, the database ends the older one, and refuses it if it arrives later.
 */
async function supersede(db: Db, transaction: Transaction, collection: string): Promise<void> {
  const { session } = transaction;
  const aborted = session.abortTransaction(); // before the calls end: the driver would take the transaction for begun then, and send this
  transaction.cancel();
  await Promise.allSettled([aborted, transaction.untilEnded(graceMS)]);
  await untilAnswered(session, async (signal) => {
    session.startTransaction({ readConcern: { level: 'local' }, readPreference: 'primary' });
    try {
      await db.collection(collection).findOne({}, { session, signal, projection: { _id: 1 }, hint: { _id: 1 } });
    } finally {
      await within(graceMS, session.abortTransaction());
    }
  });
}

/** Asks until the database answers, be it with an error. */
async function untilAnswered(session: ClientSession, ask: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  for (let limitMS = graceMS; limitMS <= longestMS && !session.hasEnded; limitMS *= 2) {
    try {
      return void (await askWithin(limitMS, ask));
    } catch (error) {
      if (isServerError(error)) return;
      await pause(limitMS / 4, undefined, { ref: false });
    }
  }
}

async function within(ms: number, ended: Promise<unknown>): Promise<void> {
  await Promise.race([ended, pause(ms, undefined, { ref: false })]);
}
