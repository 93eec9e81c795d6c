import type { AbstractCursor } from 'mongodb';
import { type Room, TooMuchIncluded } from '../../model/read/included.ts';

/**
 * What makes the driver's cursors leave records as the bytes that they are, so that they are counted before they are decoded. The second
 * option is not in its types: without it the listeners of a client that is watched (`monitorCommands`) would be told of bytes in the place of
 * `reply.cursor`.
 */
export const asBytes = { raw: true, documentsReturnedIn: 'firstBatch' } as const;

/**
 * Reads a cursor that was opened {@link asBytes} to its end, for as long as there is room: what is beyond stays in the database. Of a read that
 * fails in any other way the room is given back, for it may be tried again.
 */
export async function readAll(cursor: AbstractCursor<unknown>, room: Room): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [];
  let taken = 0;
  try {
    while (await cursor.hasNext()) {
      for (const one of takeBuffered(cursor)) {
        taken += one.byteLength;
        room.take(one.byteLength);
        found.push(one);
      }
    }
  } catch (error) {
    if (!(error instanceof TooMuchIncluded)) room.giveBack(taken);
    throw error;
  } finally {
    if (isOpen(cursor)) void cursor.close();
  }
  return found;
}

function takeBuffered(cursor: AbstractCursor<unknown>): Uint8Array[] {
  return cursor.readBufferedDocuments() as Uint8Array[];
}

function isOpen({ id }: AbstractCursor<unknown>): boolean {
  return id !== undefined && !id.isZero();
}
