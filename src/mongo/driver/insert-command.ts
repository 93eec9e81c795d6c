import type { Abortable, Collection, Db, RunCommandOptions, WriteConcern } from 'mongodb';
import { bsonOptions } from './bson-options.ts';
import type { CallOptions } from './command-plan.ts';
import { reachabilityOf } from './reachability.ts';
import { hasLabel } from './server-error.ts';

/** Why the database has refused one of several documents. */
export interface WriteError {
  /** The place of the document in the command. */
  readonly index: number;
  readonly code: number;
  readonly errmsg: string;
}

/** The answer of the database to an insert of several documents. */
interface InsertReply {
  /** How many documents it has stored. */
  readonly n: number;
  readonly writeErrors?: readonly WriteError[];
}

/**
 * The documents to send. Their values may be objects with a `toBSON`, which the driver calls in this order each time it
 * writes them for a connection.
 */
interface InsertBody {
  readonly documents: readonly object[];
  readonly ordered: object | false;
  /** Whether the command may be sent once more after it has failed. */
  mayRepeat(): boolean;
}

/**
 * Sends one unordered insert of several documents. Outside of a transaction, write concern, session and transaction
 * number are added to it.
 */
export type InsertMany = (body: InsertBody, options: CallOptions) => Promise<InsertReply>;

/**
 * Compiles a function that inserts several documents into a collection by one command. It sends the command itself,
 * because `insertMany` of the driver hides the `keyPattern` of duplicate keys, and converts documents to BSON before it
 * has a connection. What `insertMany` would do is done here: the write concern of the collection, and the retry of
 * retryable writes. Both tries have the same transaction number, so that the database carries out each document once.
 */
export function compileInsertMany(db: Db, collection: Pick<Collection, 'collectionName' | 'writeConcern'>): InsertMany {
  const { client } = db;
  const reachability = reachabilityOf(client);
  const insert = collection.collectionName;
  const concern = collection.writeConcern && { writeConcern: toCommand(collection.writeConcern) };

  async function insertInTransaction(
    { documents, ordered }: InsertBody,
    { maxTimeMS, signal, session }: CallOptions,
  ): Promise<InsertReply> {
    const options = { ...bsonOptions, session, signal } as RunCommandOptions & Abortable;
    return (await db.command({ insert, documents, ordered, maxTimeMS }, options)) as InsertReply;
  }

  return async function insertMany(body, given) {
    if (given.session) return insertInTransaction(body, given);
    const { documents, ordered, mayRepeat } = body;
    const { maxTimeMS, signal } = given;
    const session = client.startSession({ causalConsistency: false });
    const isRetryable = client.options.retryWrites && reachability.hasTransactionNumbers;
    const number = isRetryable && { txnNumber: BigInt(++session.serverSession.txnNumber) };
    const command = { insert, documents, ordered, ...concern, maxTimeMS, ...number };
    const options: RunCommandOptions & Abortable = { ...bsonOptions, session, signal };
    const send = async () => (await db.command(command, options)) as InsertReply;
    try {
      return await send().catch((error) => {
        if (!isRetryable || !mayRepeat() || !isRetryableWrite(error)) throw error;
        return send().catch((second) => {
          throw hasLabel(second, 'NoWritesPerformed') ? error : second;
        });
      });
    } finally {
      await session.endSession();
    }
  };
}

/**
 * Whether a write that failed so may be sent once more, as the driver does it (its specification "Retryable Writes").
 */
function isRetryableWrite(error: unknown): boolean {
  return hasLabel(error, 'RetryableWriteError') || hasLabel(error, 'PoolRequestedRetry');
}

function toCommand({ w, wtimeoutMS, journal }: WriteConcern): object {
  return {
    ...(w !== undefined && { w }),
    ...(wtimeoutMS !== undefined && { wtimeout: wtimeoutMS }),
    ...(journal !== undefined && { j: journal }),
  };
}
