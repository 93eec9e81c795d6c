import { BSON } from 'mongodb';

/**
 * Reads 64-bit integers as bigint, and binary data and regular expressions as BSON types, so that nothing is rounded or
 * guessed. Defaults are named too, because a collection inherits the options of its client.
 */
export const bsonOptions = {
  useBigInt64: true,
  promoteLongs: true,
  promoteValues: true,
  promoteBuffers: false,
  bsonRegExp: true,
  raw: false,
  ignoreUndefined: false,
} as const;

/**
 * Options by which `findOneAndUpdate` and `findOneAndDelete` return the BSON of the record. With `documentsReturnedIn`
 * the driver applies `raw` only to the reply of a command that has succeeded. Errors, and what a monitor sees, are
 * decoded as without it; labels, times and write concern errors it reads from the bytes of a reply in any case.
 */
export const recordAsBytes = { raw: true, documentsReturnedIn: 'value' } as const;

/** The writes of a collection that return bytes, with {@link recordAsBytes} among their options. */
export interface WritesAsBytes {
  findOneAndUpdate(filter: object, update: readonly object[], options: object): Promise<Uint8Array | null>;
  findOneAndDelete(filter: object, options: object): Promise<Uint8Array | null>;
}

/** Decodes a record. */
export function decode(bytes: Uint8Array): Record<string, unknown> {
  return BSON.deserialize(bytes, bsonOptions);
}
