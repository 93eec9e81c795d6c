import { createHash } from 'node:crypto';
import { BSON } from 'mongodb';
import { numberTextOf } from './number-in-path.ts';

/**
 * A digest of the id of a record, of the same few bytes whatever the id is. `owner` is the name of its model, or its
 * collection. Equal numbers are equal ids, whatever their type is.
 */
export function digestOfId(owner: string, id: unknown): bigint {
  const text = numberTextOf(id) ?? BSON.EJSON.stringify([id], { relaxed: false });
  return createHash('sha256').update(`${owner}\0${text}`).digest().readBigInt64BE(0);
}
