import { createHash } from 'node:crypto';
import { BSON } from 'mongodb';
import { numberTextOf } from './number-in-path.ts';

/**
 * A text that ids share if they are equal for the database: numbers are by their values, whatever their types are.
 */
export function keyOfId(id: unknown): string {
  return numberTextOf(id) ?? BSON.EJSON.stringify([id], { relaxed: false });
}

/**
 * A digest of the id of a record, of the same few bytes whatever the id is. `owner` is the name of its model, or its
 * collection. Equal ids have the same.
 */
export function digestOfId(owner: string, id: unknown): bigint {
  return createHash('sha256')
    .update(`${owner}\0${keyOfId(id)}`)
    .digest()
    .readBigInt64BE(0);
}
