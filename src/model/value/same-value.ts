import { BSON } from 'mongodb';
import { tagOf } from './bson-type.ts';
import { isObject, own } from './plain-object.ts';

/**
 * Whether two values in document form are stored as equal values. The order of an object's keys does not matter, nor do
 * undefined members, nor whether an integer is a number or a bigint.
 */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a === 'bigint') return isSameInteger(a, b);
  if (typeof b === 'bigint') return isSameInteger(b, a);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && hasSameItems(a, b);
  if (a instanceof Map) return b instanceof Map && hasSameItems([...a], [...b]);
  if (isObject(a)) return isObject(b) && hasSameMembers(a, b);
  return (
    (tagOf(a) ?? a.constructor) === (tagOf(b) ?? b.constructor) && Buffer.compare(BSON.serialize({ a }), BSON.serialize({ a: b })) === 0
  );
}

function isSameInteger(integer: bigint, other: unknown): boolean {
  return Number.isInteger(other) && Object.is(Number(integer), other) && BigInt(other as number) === integer;
}

/** A hole in an array counts as an undefined item. `Array.from` fills the holes, which `every` would skip. */
function hasSameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && Array.from(a).every((item, index) => isSameValue(item, b[index]));
}

function hasSameMembers(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => isSameValue(own(a, key), own(b, key)));
}
