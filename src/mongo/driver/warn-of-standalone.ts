import { asDb, type Database } from './database.ts';
import { reachabilityOf } from './reachability.ts';

/**
 * Warns the developer (`process.emitWarning`, code `REPLICA_SET_REQUIRED`) if a definition needs transactions and the database is a standalone
 * server, which has none: at once if that is known, or else when the client has connected. `what` is the subject of the sentence, such as
 * "`patchMany` of resource `orders`".
 */
export function warnOfStandalone(db: Database, what: string): void {
  reachabilityOf(asDb(db).client).whenStandalone(() => {
    process.emitWarning(
      `${what} needs transactions, which the database does not have, because it is a standalone server: the answer will be 501. Run the database as a replica set; one member is enough.`,
      { type: 'KoaMongoResourceWarning', code: 'REPLICA_SET_REQUIRED' },
    );
  });
}
