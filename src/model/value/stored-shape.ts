import { isDBRef } from './bson-type.ts';
import { own } from './plain-object.ts';

/**
 * Whether a value is an object of keys as the database holds it, and not a list, a date or a BSON type. A `_bsontype` of its own is data that
 * some client sent: BSON's types inherit theirs.
 */
export function isStoredObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if (value instanceof Map || value instanceof Date || value instanceof Uint8Array || value instanceof RegExp) return false;
  return !('_bsontype' in value) || Object.hasOwn(value, '_bsontype');
}

/** The members of a stored map: a Map as it is inserted, an object as it is read back; undefined for anything else. */
export function mapEntries(stored: unknown): Iterable<[string, unknown]> | undefined {
  if (stored instanceof Map) return stored.entries();
  // The driver makes a DBRef of any object with `$ref` and `$id`: it was plain data, and is read as such.
  if (isDBRef(stored)) return Object.entries(stored.toJSON());
  return isStoredObject(stored) ? Object.entries(stored) : undefined;
}

/** Reads a member that a record may lack: `constructor` must not be found on the prototype. */
export function compileMemberRead(key: string): (stored: Readonly<Record<string, unknown>>) => unknown {
  return key in Object.prototype ? (stored) => own(stored, key) : (stored) => stored[key];
}
