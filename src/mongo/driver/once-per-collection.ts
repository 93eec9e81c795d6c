import type { Collection, Db } from 'mongodb';

type Stored = Record<string, unknown>;

/**
 * Makes something once for each collection of a database, for all models and views that use it. All of them must open
 * the collection with the same options.
 */
export function oncePerCollection<T>(make: (db: Db, collection: Collection<Stored>) => T): (db: Db, collection: Collection<Stored>) => T {
  const made = new WeakMap<Db, Map<string, T>>();
  return function ofCollection(db, collection) {
    const ofDatabase = made.get(db) ?? new Map<string, T>();
    const { collectionName } = collection;
    const one = ofDatabase.get(collectionName) ?? make(db, collection);
    made.set(db, ofDatabase.set(collectionName, one));
    return one;
  };
}
