import type { AbstractCursor } from 'mongodb';
import type { Room } from '../../model/relations/included.ts';

/**
 * Makes cursors of the driver return records as bytes, so that they can be counted before they are decoded. The second
 * option is not in the types of the driver. Without it, listeners of `monitorCommands` would receive bytes as
 * `reply.cursor`.
 */
export const asBytes = { raw: true, documentsReturnedIn: 'firstBatch' } as const;

/**
 * Reads a cursor that was opened with {@link asBytes} to its end, or until there is no more room. If the read fails for
 * another reason, the room is given back, because the read may be tried again.
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
    if (room.left >= 0) room.giveBack(taken);
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
