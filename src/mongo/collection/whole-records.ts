import { Problem } from '../../errors.ts';
import { Room } from '../../model/relations/included.ts';
import { idToJson } from '../../model/value/number-in-path.ts';
import { inParts } from '../driver/in-parts.ts';
import type { Work } from '../driver/work.ts';
import { seeing, type Within } from '../lifecycle/within.ts';
import { StoredRecord } from '../stored-record.ts';
import { type Find, inOneReply, whole } from './find.ts';
import { matching, mostHookBytes, type Targets } from './writer.ts';

/** The most records that are read whole at once. */
const mostAtOnce = 500;

/** The most bytes of records that are decoded, compared and written at once: an object takes several times as many. */
const bytesOfPart = { most: 524_288, of: ({ byteLength }: Uint8Array) => byteLength };

/**
 * Reads the records that a write to many addresses, whole: for hooks. 422 if they are more than the targets allow, or
 * more than 16 MiB.
 */
export async function findTargets(collection: Find, targets: Targets, work: Work): Promise<readonly StoredRecord[]> {
  const which = { within: matching(targets), limit: targets.max + 1 };
  const found = await collection.find(which, whole(new Room(mostHookBytes, tooLargeMatches)), work);
  if (found.length > targets.max) throw tooManyMatches(targets.max);
  return found;
}

/** Reads the same records again, after the write. 422 if they are more than 16 MiB. */
export async function findAgain(collection: Find, before: readonly StoredRecord[], work: Work): Promise<readonly StoredRecord[]> {
  const [first] = before;
  if (!first) return [];
  const which = { among: before.map(({ storedId }) => storedId), within: seeing(first.model, 'with', undefined) };
  return collection.find(which, whole(new Room(mostHookBytes, tooLargeMatches)), work);
}

/** Reads records whole, in parts that fit into memory. */
export async function* readParts(
  collection: Find,
  ids: readonly unknown[],
  within: Within,
  work: Work,
): AsyncGenerator<readonly StoredRecord[]> {
  const asRecord = (bytes: Uint8Array) => new StoredRecord(within.model, bytes);
  for (let left = ids; left.length > 0; ) {
    const among = left.slice(0, mostAtOnce);
    const [{ found, isCut } = { found: [], isCut: false }] = await collection.find({ among, within }, inOneReply, work);
    for (const part of inParts(found, mostAtOnce, bytesOfPart)) yield part.map(asRecord); // what is decoded of it is let go with it
    const read = new Set(isCut ? found.map((bytes) => asRecord(bytes).idText) : []);
    left = isCut ? left.filter((id) => !read.has(idToJson(within.model.id.leaf, id))) : left.slice(mostAtOnce);
  }
}

/** 422: a write to many would be one to more records than it may. */
export function tooManyMatches(max: number): Problem {
  const records = max === 1 ? 'one record matches' : `${max} records match`;
  return new Problem({ code: 'too_many_matches', detail: `More than ${records}: nothing was written. Narrow the filter, or allow more.` });
}

function tooLargeMatches(): Problem {
  const detail = 'The records that match have more than 16 MiB: nothing was written. Narrow the filter.';
  return new Problem({ code: 'too_many_matches', detail });
}
