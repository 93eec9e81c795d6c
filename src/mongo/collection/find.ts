import type { Collection, FindCursor, FindOptions, Sort } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { Room } from '../../model/relations/included.ts';
import type { Commands } from '../driver/commands.ts';
import { inParts } from '../driver/in-parts.ts';
import { asBytes, type FirstBatch, isOpen, readAll } from '../driver/read-batches.ts';
import type { Work } from '../driver/work.ts';
import type { Within } from '../lifecycle/within.ts';
import { both, filterOf } from '../predicate/filter-of.ts';
import type { Filter } from '../predicate/predicate.ts';
import { includePaths } from '../query/include-paths.ts';
import { StoredRecord } from '../stored-record.ts';

type Stored = Record<string, unknown>;

/** Which records a read finds. */
type Which = MatchingRecords | Among;

/** The records within reach. */
export interface MatchingRecords {
  readonly within: Within;
  readonly limit: number;
  readonly sort?: Sort;
  readonly among?: never;
}

/** Those of them that have one of these values. */
interface Among {
  readonly within: Within;
  /** The values. One command is sent for every 5,000 of them. */
  readonly among: readonly unknown[];
  /** @default `_id` */
  readonly path?: string;
  /** How many records one command returns at most. @default as many as it has values */
  readonly limit?: number;
}

/** What a read takes of each record. */
export interface Shape<T> {
  readonly options: FindOptions;
  take(cursor: FindCursor<Stored>, seen: CompiledModel): Promise<T[]>;
}

/** The read that the library itself needs, beside those whose answer a client gets. */
export interface Find {
  /**
   * Reads records as the primary knows them. A record may come twice if `among` has more than 5,000 values.
   *
   * @example collection.find({ path: 'author', among: ids, within: living(model, scope), limit: 1 }, idsOnly, work)
   */
  find<T>(which: Which, shape: Shape<T>, work: Work): Promise<T[]>;
}

/** Takes the ids. */
export const idsOnly: Shape<unknown> = {
  options: { projection: { _id: 1 } },
  take: async (cursor) => (await cursor.toArray()).map(({ _id }) => _id),
};

/** Takes the ids, and what stands at some stored paths. */
export function partsAt(paths: readonly string[]): Shape<Stored> {
  return { options: { projection: includePaths(['_id', ...paths]) }, take: (cursor) => cursor.toArray() };
}

/** Takes the same as {@link partsAt}, of no more records than one reply of the database has room for. */
export function partsInOneReply(paths: readonly string[]): Shape<Stored> {
  return { ...partsAt(paths), take: readFirst };
}

/** Takes the bytes of as many whole records as fit into one reply of the database. */
export const inOneReply: Shape<FirstBatch> = {
  options: asBytes,
  async take(cursor) {
    try {
      await cursor.hasNext();
      return [{ found: cursor.readBufferedDocuments() as object as Uint8Array[], isCut: isOpen(cursor) }];
    } finally {
      await cursor.close(); // before the next command of a transaction
    }
  },
};

/** Takes whole records, as far as there is room. */
export function whole(room = new Room(Number.POSITIVE_INFINITY)): Shape<StoredRecord> {
  return {
    options: asBytes,
    take: async (cursor, seen) => (await readAll(cursor, room)).map((one) => new StoredRecord(seen, one)),
  };
}

/** Opens the read of a collection. */
export function openFind(
  collection: Collection<Stored>,
  { readLatest, searchLatest }: Pick<Commands, 'readLatest' | 'searchLatest'>,
): Find {
  function read<T>(
    run: typeof readLatest,
    filter: Filter,
    { within, limit, sort }: MatchingRecords,
    shape: Shape<T>,
    work: Work,
  ): Promise<T[]> {
    const wanted = { ...shape.options, limit, batchSize: limit + 1, readPreference: 'primary', ...(sort && { sort }) } as const;
    return run(work, (command) =>
      command.count(() => shape.take(collection.find(command.handOver(filter), { ...command.options, ...wanted }), within.model)),
    );
  }

  return {
    async find<T>(which: Which, shape: Shape<T>, work: Work): Promise<T[]> {
      if (!which.among) return read(searchLatest, filterOf(which.within.predicate ?? {}), which, shape, work);
      const { within, among, path = '_id', limit } = which;
      const found: T[] = [];
      for (const some of inParts(among)) {
        const filter = both({ [path]: { $in: some } }, within.predicate);
        for (const one of await read(readLatest, filter, { within, limit: limit ?? some.length }, shape, work)) found.push(one);
      }
      return found;
    },
  };
}

/** Reads the first batch of a cursor. */
async function readFirst(cursor: FindCursor<Stored>): Promise<Stored[]> {
  try {
    await cursor.hasNext();
    return cursor.readBufferedDocuments();
  } finally {
    await cursor.close(); // before the next command of a transaction
  }
}
