import { type AbstractCursor, BSON } from 'mongodb';
import { type Room, TooMuchIncluded } from '../../model/read/included.ts';

type Stored = Record<string, unknown>;

/**
 * 64-bit integers as bigint, binary and regular expressions as BSON types: nothing is rounded or guessed on the way. Defaults are named too,
 * because a collection inherits what its client was opened with.
 */
export const bsonOptions = {
  useBigInt64: true,
  promoteLongs: true,
  promoteValues: true,
  promoteBuffers: false,
  bsonRegExp: true,
  raw: false,
  ignoreUndefined: false,
} as const;

/**
 * What makes the driver leave records as the bytes that they are, so that they are counted before they are decoded. The second option is not
 * in its types: without it an aggregation that is watched (`monitorCommands`) tells its listeners of bytes in the place of `reply.cursor`.
 */
export const asBytes = { raw: true, documentsReturnedIn: 'firstBatch' } as const;

/** The records of a first batch. */
export interface Batch {
  readonly stored: readonly Stored[];
  /** Whether there are more, in the database or in what was not decoded. */
  readonly goesOn: boolean;
}

/**
 * Reads the first batch of a cursor that was opened {@link asBytes}, and of it at most so many records of together so many bytes; the first
 * one may have more. It is one command: the database ends a batch where its reply would have more than 16 MiB, and keeps a cursor for what
 * is left. That is killed, and nobody waits for it.
 */
export async function readFirstBatch(cursor: AbstractCursor<unknown>, limit: number, maxBytes: number): Promise<Batch> {
  await cursor.hasNext();
  const found = takeBuffered(cursor);
  const isCut = isOpen(cursor);
  if (isCut) void cursor.close();
  const stored: Stored[] = [];
  let bytes = 0;
  for (const one of found.slice(0, limit)) {
    bytes += one.byteLength;
    if (bytes > maxBytes && stored.length > 0) break;
    stored.push(decode(one));
  }
  return { stored, goesOn: isCut || stored.length < found.length };
}

/**
 * Reads a cursor that was opened {@link asBytes} to its end, for as long as there is room: what is beyond stays in the database. Of a read that
 * fails in any other way the room is given back, for it may be tried again.
 */
export async function readAll(cursor: AbstractCursor<unknown>, room: Room): Promise<Stored[]> {
  const stored: Stored[] = [];
  let taken = 0;
  try {
    while (await cursor.hasNext()) {
      for (const one of takeBuffered(cursor)) {
        taken += one.byteLength;
        room.take(one.byteLength);
        stored.push(decode(one));
      }
    }
  } catch (error) {
    if (!(error instanceof TooMuchIncluded)) room.giveBack(taken);
    throw error;
  } finally {
    if (isOpen(cursor)) void cursor.close();
  }
  return stored;
}

function takeBuffered(cursor: AbstractCursor<unknown>): Uint8Array[] {
  return cursor.readBufferedDocuments() as Uint8Array[];
}

function isOpen({ id }: AbstractCursor<unknown>): boolean {
  return id !== undefined && !id.isZero();
}

function decode(bytes: Uint8Array): Stored {
  return BSON.deserialize(bytes, bsonOptions);
}
