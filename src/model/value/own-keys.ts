/** The stored key of the id that all records have which one delete has marked. */
export const deletionKey = '_deletion';

/**
 * The stored key that counts how often latches of a record were made: the transaction that makes one conflicts with its
 * delete.
 */
export const referencesKey = '_references';

/** The stored key of what tells a record with a ledger from an earlier one that had the same id. */
export const lifeKey = '_life';

/** The keys of stored records that belong to the library, and are no fields. */
export const ownKeys: ReadonlySet<string> = new Set([deletionKey, referencesKey, lifeKey]);
