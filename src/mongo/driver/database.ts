import { type Db, ObjectId } from 'mongodb';
import { ConfigurationError } from '../../errors.ts';
import { bsonVersionOf } from '../../model/value/bson-type.ts';

/**
 * A database of the MongoDB driver, such as `client.db('shop')`. It may be of another copy of the driver than the one that the library finds:
 * mongoose brings its own.
 */
export interface Database {
  readonly databaseName: string;
  collection(name: string): { readonly collectionName: string };
  command(command: object): Promise<unknown>;
}

/** The same for the driver's own types. Throws where it is no database, or could not store the values that this copy of BSON makes. */
export function asDb(database: Database): Db {
  const db = database as Db;
  if (typeof db?.collection !== 'function')
    throw new ConfigurationError("`db` must be a database of the MongoDB driver, such as `client.db('shop')`.");
  const id: unknown = db.client?.options?.pkFactory?.createPk();
  const [theirs, ours] = [bsonVersionOf(id), bsonVersionOf(new ObjectId())];
  if (theirs !== undefined && theirs !== ours)
    throw new ConfigurationError(
      `\`db\` is of a MongoDB driver with version ${theirs} of \`bson\`, and this library uses one with version ${ours}: install the same major version of \`mongodb\` for both.`,
    );
  return db;
}
