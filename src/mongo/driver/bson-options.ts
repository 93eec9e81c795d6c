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

/** Decodes a record. */
export function decode(bytes: Uint8Array): Record<string, unknown> {
  return BSON.deserialize(bytes, bsonOptions);
}
