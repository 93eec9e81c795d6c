import { type CollectionOptions, type Db, type IndexDescriptionInfo, MongoServerError } from 'mongodb';
import type { PlannedIndex } from './derive-indexes.ts';
import { type ExistingIndex, formatKey } from './index-plan.ts';

/** Numbers as numbers, however the client was opened: what the database says of itself is no data of the application. */
export const plainValues: CollectionOptions = { promoteValues: true, promoteLongs: true, useBigInt64: false, raw: false };

/** The indexes that a collection has; none where there is no such collection. */
export async function readIndexes(db: Db, collection: string): Promise<ExistingIndex[]> {
  try {
    return (await db.collection(collection, plainValues).indexes()).map(toExisting);
  } catch (error) {
    if (error instanceof MongoServerError && error.code === namespaceNotFound) return [];
    throw error;
  }
}

const namespaceNotFound = 26;
const duplicateKey = 11000;

function toExisting({ name = '', key, v: _, ...options }: IndexDescriptionInfo): ExistingIndex {
  return { name, key: Object.entries(key), options };
}

/** Creates indexes by one command. They are built together: where one cannot be, none is there afterwards. */
export async function createIndexes(db: Db, collection: string, indexes: readonly PlannedIndex[]): Promise<void> {
  try {
    await db.collection(collection, plainValues).createIndexes(indexes.map(({ key, options }) => ({ ...options, key: new Map(key) })));
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== duplicateKey) throw error;
    const paths: unknown = error['keyPattern'];
    const key = formatKey(Object.entries((paths ?? {}) as Record<string, 1>));
    throw new Error(
      `The unique index ${key} of \`${collection}\` cannot be created, because some of its records have the same values there. ` +
        'None of the missing indexes of this collection was created: change or remove those records first.',
      { cause: error },
    );
  }
}
