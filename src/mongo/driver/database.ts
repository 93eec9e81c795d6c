import { type Db, ObjectId } from 'mongodb';
import { ConfigurationError } from '../../errors.ts';
import { bsonVersionOf } from '../../model/value/bson-type.ts';
import { readDetail } from './trace/detail.ts';
import { traceDatabase } from './trace/trace-database.ts';

/**
 * A database of the MongoDB driver, such as `client.db('shop')`. It may come from another copy of the driver than the
 * one this library uses: mongoose has its own.
 */
export interface Database {
  readonly databaseName: string;
  collection(name: string): { readonly collectionName: string };
  command(command: object): Promise<unknown>;
}

/**
 * Returns the database with the driver's own type. Throws a {@link ConfigurationError} if it is not a database, or if
 * its driver could not store the values of our copy of `bson`. If `DEBUG` names the library, it returns one that tells
 * of its commands.
 */
export function asDb(database: Database): Db {
  const db = database as Db;
  if (typeof db?.collection !== 'function')
    throw new ConfigurationError("`db` must be a database of the MongoDB driver, such as `client.db('shop')`.");
  const id: unknown = db.client?.options?.pkFactory?.createPk();
  const [theirs, ours] = [bsonVersionOf(id), bsonVersionOf(new ObjectId())];
  if (theirs !== undefined && theirs !== ours)
    throw new ConfigurationError(
      `\`db\` is from a MongoDB driver with version ${theirs} of \`bson\`, but this library uses version ${ours}: install the same major version of \`mongodb\` for both.`,
    );
  const detail = readDetail(process.env.DEBUG);
  return detail === undefined ? db : traceDatabase(db, detail);
}
