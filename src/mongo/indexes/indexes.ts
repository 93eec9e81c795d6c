import type { Abortable, CollectionOptions, Db, IndexDescriptionInfo, ListIndexesOptions } from 'mongodb';
import { isServerError, serverCodes } from '../driver/server-error.ts';
import type { PlannedIndex } from './derive-indexes.ts';
import { type ExistingIndex, formatKey, nameOf } from './index-plan.ts';

/** Numbers as numbers, however the client was opened: what the database says of itself is no data of the application. */
export const plainValues: CollectionOptions = { promoteValues: true, promoteLongs: true, useBigInt64: false, raw: false };

/** The indexes that a collection has; none where there is no such collection. */
export async function readIndexes(db: Db, collection: string, signal?: AbortSignal): Promise<ExistingIndex[]> {
  const options: ListIndexesOptions & Abortable = signal ? { signal } : {}; // the driver's type forgets the signal
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

/** What the database says of a command that creates indexes; behind a router, what each shard says. */
interface Reply {
  /** Where all of them were there already. */
  readonly note?: string;
  readonly raw?: Readonly<Record<string, Reply>>;
}

/**
 * Creates indexes by one command. They are built together: where one cannot be, none is there afterwards.
 *
 * @returns whether it was this command that created them. Of several that ask for the same indexes at once one builds, and the others wait for it.
 */
export async function createIndexes(db: Db, collection: string, indexes: readonly PlannedIndex[]): Promise<boolean> {
  try {
    const specs = indexes.map(({ key, options }) => ({ ...options, key: new Map(key), name: nameOf(key, options) }));
    return hasCreated(await db.command({ createIndexes: collection, indexes: specs })); // the driver's own method tells names only
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
