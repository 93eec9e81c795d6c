import { BSON } from 'mongodb';

/**
 * 64-bit integers as bigint, binary and regular expressions as BSON types: nothing is rounded or guessed on the way. Defaults are named too,
 * because a collection inherits what its client was opened with.
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

/** A record as it is stored. */
export function decode(bytes: Uint8Array): Record<string, unknown> {
  return BSON.deserialize(bytes, bsonOptions);
}
