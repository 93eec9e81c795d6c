import type {
  Abortable,
  AbstractCursor,
  Document as BsonDocument,
  ClientSession,
  Collection,
  Db,
  RunCommandCursor,
  RunCommandOptions,
} from 'mongodb';
import type { Room } from '../../model/relations/included.ts';
import { bsonOptions } from './bson-options.ts';
import { ofMajority } from './command-plan.ts';
import { needOf, reachabilityOf } from './reachability.ts';
import { isRetryableRead } from './server-error.ts';

/** The records of the first batch of a cursor, as BSON bytes. */
export interface FirstBatch {
  readonly found: readonly Uint8Array[];
  /** Whether the database has more records than fit into one reply. */
  readonly isCut: boolean;
}

/** Ends the command, and says which transaction it is part of. */
export interface Sending {
  readonly signal: AbortSignal;
  readonly session?: ClientSession | undefined;
  /** The session of a read that waits for a time of the database. */
  readonly causal?: ClientSession | undefined;
}

/**
 * Sends a `find` or `aggregate` command. Outside of a transaction, read preference and read concern are added to it.
 */
export type ReadFirstBatch = (body: BsonDocument, sending: Sending) => Promise<FirstBatch>;

/** Opens a cursor for the same command, which reads on where one reply is not enough. */
export type OpenCursor = (body: BsonDocument, sending: Sending) => AbstractCursor<unknown>;

/** Keeps records as bytes. The driver's types do not have this option. */
const rawFirstBatch = { ...bsonOptions, fieldsAsRaw: { firstBatch: true } };

/**
 * Compiles a function that reads first batches of a collection. It sends the command itself, because a cursor of the
 * driver costs more CPU time than everything else that is done for a page. What a cursor would do is done here: the
 * read preference and read concern of the collection, and one retry of retryable reads.
 *
 * A reply of the database has at most 16 MiB. If more records are left, the database keeps a cursor open, which is
 * killed in the background.
 */
export function compileFirstBatch(
  db: Db,
  collection: Pick<Collection, 'readPreference' | 'readConcern' | 'collectionName'>,
): ReadFirstBatch & { readonly openCursor: OpenCursor } {
  const { readPreference, readConcern, collectionName } = collection;
  const options = { ...rawFirstBatch, ...(readPreference && { readPreference }) };
  const reachability = reachabilityOf(db.client);
  const isOfPrimary = needOf(readPreference?.mode) === 'primary';

  async function readDirectly(body: BsonDocument, given: RunCommandOptions & Abortable): Promise<FirstBatch> {
    const { cursor } = await db.command(body, given);
    const isCut = cursor.id !== 0n;
    if (isCut) void db.command({ killCursors: collectionName, cursors: [cursor.id] }).catch(ignore);
    return { found: cursor.firstBatch, isCut };
  }

  /** A transaction has settings of its own, and ends its cursors itself. */
  async function readInTransaction(body: BsonDocument, { signal, session }: Sending): Promise<FirstBatch> {
    const given = { ...rawFirstBatch, signal, session } as RunCommandOptions & Abortable;
    const { cursor } = await db.command(body, given);
    return { found: cursor.firstBatch, isCut: cursor.id !== 0n };
  }

  function prepare(body: BsonDocument, { signal, causal }: Sending): [BsonDocument, RunCommandOptions & Abortable] {
    const command: BsonDocument = Object.assign({}, body); // of many shapes, as in `both`
    const given: RunCommandOptions & Abortable = { ...options };
    given.signal = signal;
    if (readConcern) command.readConcern = readConcern;
    if (causal) {
      command.readConcern = { ...ofMajority }; // the driver writes the time of the session into it
      given.session = causal;
    }
    return [command, given];
  }

  function read(body: BsonDocument, sending: Sending): Promise<FirstBatch> {
    const [command, given] = prepare(body, sending);
    // With several servers, only a cursor of the driver knows which one holds the rest.
    return isOfPrimary && !reachability.isRouted ? readDirectly(command, given) : readByCursor(db, command, given);
  }

  async function readFirstBatch(body: BsonDocument, sending: Sending): Promise<FirstBatch> {
    const { signal, session } = sending;
    if (session) return readInTransaction(body, sending);
    try {
      return await read(body, sending);
    } catch (error) {
      if (signal.aborted || !db.client.options.retryReads || !isRetryableRead(error)) throw error;
      return read(body, sending);
    }
  }

  function openCursor(body: BsonDocument, sending: Sending): AbstractCursor<unknown> {
    const { signal, session } = sending;
    const [command, given] = session ? [body, { ...bsonOptions, signal, session }] : prepare(body, sending);
    return cursorOf(db, command, given);
  }

  return Object.assign(readFirstBatch, { openCursor });
}

function cursorOf(db: Db, body: BsonDocument, options: RunCommandOptions & Abortable): RunCommandCursor {
  return db.runCursorCommand(body, { ...options, ...asBytes } as RunCommandOptions);
}

async function readByCursor(db: Db, body: BsonDocument, options: RunCommandOptions & Abortable): Promise<FirstBatch> {
  const cursor = cursorOf(db, body, options);
  await cursor.hasNext();
  const found = cursor.readBufferedDocuments() as unknown as Uint8Array[];
  const isCut = cursor.id !== undefined && !cursor.id.isZero();
  if (isCut) void cursor.close();
  return { found, isCut };
}

function ignore(): void {}

/**
 * Makes cursors of the driver return records as bytes, so that they can be counted before they are decoded. The second
 * option is not in the types of the driver. Without it, listeners of `monitorCommands` would receive bytes as
 * `reply.cursor`.
 */
export const asBytes = { raw: true, documentsReturnedIn: 'firstBatch' } as const;

/** How records are taken from a cursor. */
export interface Taking<T> {
  /** The bytes of a record that count. */
  sizeOf(source: Uint8Array): number;
  make(source: Uint8Array): T;
}

const asTheyAre: Taking<Uint8Array> = { sizeOf: (source) => source.byteLength, make: (source) => source };

/** Reads a cursor as {@link takeAll} does, and keeps the bytes of the records. */
export function readAll(cursor: AbstractCursor<unknown>, room: Room): Promise<Uint8Array[]> {
  return takeAll(cursor, room, asTheyAre);
}

/**
 * Reads a cursor that was opened with {@link asBytes} to its end, or until there is no more room. If the read fails for
 * another reason, the room is given back, because the read may be tried again.
 */
export async function takeAll<T>(cursor: AbstractCursor<unknown>, room: Room, { sizeOf, make }: Taking<T>): Promise<T[]> {
  const found: T[] = [];
  let taken = 0;
  try {
    for await (const batch of batchesOf(cursor)) {
      for (const one of batch) {
        const bytes = sizeOf(one);
        taken += bytes;
        room.take(bytes);
        found.push(make(one));
      }
    }
  } catch (error) {
    if (room.left >= 0) room.giveBack(taken);
    throw error;
  }
  return found;
}

/** The batches of a cursor that was opened with {@link asBytes}. */
export async function* batchesOf(cursor: AbstractCursor<unknown>): AsyncGenerator<readonly Uint8Array[], void, undefined> {
  try {
    while (await cursor.hasNext()) yield takeBuffered(cursor);
  } finally {
    if (isOpen(cursor)) void cursor.close();
  }
}

function takeBuffered(cursor: AbstractCursor<unknown>): Uint8Array[] {
  return cursor.readBufferedDocuments() as Uint8Array[];
}

/** Whether the database has more of a cursor than it has sent. */
export function isOpen({ id }: AbstractCursor<unknown>): boolean {
  return id !== undefined && !id.isZero();
}
