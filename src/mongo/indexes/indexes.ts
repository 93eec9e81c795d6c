import type { Abortable, CollectionOptions, Db, IndexDescriptionInfo, ListIndexesOptions } from 'mongodb';
import { isServerError, serverCodes } from '../driver/server-error.ts';
import { type ExistingIndex, formatKey, nameOf } from './index-plan.ts';
import type { PlannedIndex } from './wanted.ts';

/**
 * Reads numbers as numbers, whatever the options of the client: the answer is about the database, and not data of the
 * application.
 */
export const plainValues: CollectionOptions = { promoteValues: true, promoteLongs: true, useBigInt64: false, raw: false };

/** Reads the indexes of a collection. Returns none if the collection does not exist. */
export async function readIndexes(db: Db, collection: string, signal?: AbortSignal): Promise<ExistingIndex[]> {
  const options: ListIndexesOptions & Abortable = signal ? { signal } : {}; // the driver's type does not have the signal
  try {
    return (await db.collection(collection, plainValues).listIndexes(options).toArray()).map(toExisting);
  } catch (error) {
    if (isServerError(error, serverCodes.namespaceNotFound)) return [];
    throw error;
  }
}

function toExisting({ name = '', key, v: _, ...options }: IndexDescriptionInfo): ExistingIndex {
  return { name, key: Object.entries(key), options };
}

/** The database's reply to `createIndexes`. */
interface Reply {
  /** Set if all the indexes existed already. */
  readonly note?: string;
  /** The replies of the shards, behind a router. */
  readonly raw?: Readonly<Record<string, Reply>>;
}

/**
 * Creates indexes with one command. The database builds all of them together: if one fails, it creates none.
 *
 * @returns whether this command has created them. If several processes create the same indexes at once, one builds them
 * and the others wait.
 */
export async function createIndexes(db: Db, collection: string, indexes: readonly PlannedIndex[]): Promise<boolean> {
  try {
    const specs = indexes.map(({ key, options }) => ({ ...options, key: new Map(key), name: nameOf(key, options) }));
    return hasCreated(await db.command({ createIndexes: collection, indexes: specs })); // the driver's own method returns only the names
  } catch (error) {
    if (!isServerError(error, serverCodes.duplicateKey)) throw error;
    const key = formatKey(Object.entries((error.keyPattern ?? {}) as Record<string, 1>));
    throw new Error(
      `The unique index ${key} of \`${collection}\` cannot be created, because some of its records have the same values there. ` +
        'None of the missing indexes of this collection was created: change or remove those records first.',
      { cause: error },
    );
  }
}

function hasCreated({ raw, note }: Reply): boolean {
  return raw ? Object.values(raw).some(hasCreated) : note === undefined;
}
