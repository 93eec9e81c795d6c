import type { Collection, Db, ObjectId } from 'mongodb';
import { bsonOptions } from '../driver/bson-options.ts';
import type { Keep } from '../keeps/keep.ts';
import { cutName } from './actor.ts';

/** The most entries of one command. */
const mostAtOnce = 1_000;

/**
 * Replaces an actor in all that is kept of records, some entries with each command. Returns how many it has changed. If
 * it fails on the way, call it again.
 */
export async function forgetActor(db: Db, keeps: readonly Keep[], actor: string, as: string | null): Promise<number> {
  let count = 0;
  for (const { collection, namesActors } of keeps) if (namesActors) count += await forgetActorIn(db, collection, actor, as);
  return count;
}

/** Replaces an actor in one collection whose documents have it as `actor`. Returns how many it has changed. */
async function forgetActorIn(db: Db, name: string, whole: string, as: string | null): Promise<number> {
  const actor = cutName(whole);
  const collection: Collection<{ _id: ObjectId; actor: string | null }> = db.collection(name, bsonOptions);
  let count = 0;
  let some: ObjectId[] = [];
  const replaceSome = async () => {
    const { modifiedCount } = await collection.updateMany({ _id: { $in: some }, actor }, { $set: { actor: as } });
    count += modifiedCount;
    some = [];
  };
  const found = collection.find({ actor }, { projection: { _id: 1 }, batchSize: mostAtOnce, readPreference: 'primary' });
  for await (const { _id } of found) {
    some.push(_id);
    if (some.length === mostAtOnce) await replaceSome();
  }
  if (some.length > 0) await replaceSome();
  return count;
}
