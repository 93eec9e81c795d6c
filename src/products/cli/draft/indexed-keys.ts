import { type Db, MongoServerError } from 'mongodb';

/** An index of the collection that finds the values of a key by themselves. */
export interface KeyIndex {
  readonly name: string;
  readonly isUnique: boolean;
}

/** The first index of the collection for each stored path that one begins with. */
export async function readIndexedKeys(db: Db, collection: string, maxTimeMS: number): Promise<ReadonlyMap<string, KeyIndex>> {
  const found = new Map<string, KeyIndex>();
  for (const { name, key, unique = false, hidden = false } of await readIndexes(db, collection, maxTimeMS)) {
    const [[path, direction] = ['', 0], ...others] = Object.entries(key);
    if (typeof direction !== 'number' || hidden || found.has(path)) continue;
    found.set(path, { name: name ?? path, isUnique: unique && others.length === 0 });
  }
  return found;
}

/** A view has none, and not everybody may read them: then the draft does without. */
async function readIndexes(db: Db, collection: string, maxTimeMS: number) {
  try {
    return await db.collection(collection).indexes({ maxTimeMS });
  } catch (error) {
    if (error instanceof MongoServerError) return [];
    throw error;
  }
}
