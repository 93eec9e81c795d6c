import { isDBRef } from './bson-type.ts';
import { own } from './plain-object.ts';

/**
 * Whether a stored value is an object with keys: not an array, a date or a BSON value. An own member `_bsontype` is a
 * client's data, because BSON values inherit theirs.
 */
export function isStoredObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if (value instanceof Map || value instanceof Date || value instanceof Uint8Array || value instanceof RegExp) return false;
  return !('_bsontype' in value) || Object.hasOwn(value, '_bsontype');
}

/**
 * The members of a stored map. It is a Map when it is inserted, and an object when it is read. Undefined for any other
 * value.
 */
export function mapEntries(stored: unknown): Iterable<[string, unknown]> | undefined {
  if (stored instanceof Map) return stored.entries();
  // The driver reads every object with `$ref` and `$id` as a DBRef. It was stored as plain data, and is returned as
  // such.
  if (isDBRef(stored)) return Object.entries(stored.toJSON());
  return isStoredObject(stored) ? Object.entries(stored) : undefined;
}

/**
 * Compiles the access to a member that may be missing. A key such as `constructor` must not be found on the prototype.
 */
export function compileMemberRead(key: string): (stored: Readonly<Record<string, unknown>>) => unknown {
  return key in Object.prototype ? (stored) => own(stored, key) : (stored) => stored[key];
}
