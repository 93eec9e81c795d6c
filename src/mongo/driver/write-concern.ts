import type { Db, MongoClient } from 'mongodb';
import { ConfigurationError } from '../../errors.ts';

/** The clients that a warning was emitted for: one for each client is enough. */
const warned = new WeakSet<MongoClient>();

/**
 * Refuses `w: 0`: without an acknowledgement no answer could be true. Warns about `w: 1`, because a new primary may not
 * have the acknowledged writes.
 */
export function checkWriteConcern({ client, writeConcern }: Db): void {
  const w = writeConcern?.w;
  if (w === 0)
    throw new ConfigurationError("The write concern of `db` is `w: 0`: writes are not acknowledged. Leave it out, or use `w: 'majority'`.");
  if (w !== 1 || warned.has(client)) return;
  warned.add(client);
  process.emitWarning(
    "The write concern of `db` is `w: 1`: when another server becomes the primary, writes that were acknowledged may be lost. Leave it out, or use `w: 'majority'`.",
    { type: 'KoaMongoResourceWarning', code: 'WEAK_WRITE_CONCERN' },
  );
}
