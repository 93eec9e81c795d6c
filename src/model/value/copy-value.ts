import { Binary, UUID } from 'mongodb';
import { isBinary, isDBRef, isUuid } from './bson-type.ts';
import { isObject } from './plain-object.ts';
import { isStoredObject } from './stored-shape.ts';

/**
 * A value of its own, as handlers hold it, of which every part may be changed. It never passes through the driver, to which `_bsontype` in a
 * client's data would be the name of a type.
 */
export function copyValue(value: unknown): unknown {
  if (Array.isArray(value)) return Array.from(value, copyValue);
  if (value instanceof Date) return new Date(value);
  if (isBinary(value)) return copyBinary(value);
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (value instanceof Map) return new Map(Array.from(value, ([key, member]) => [key, copyValue(member)]));
  // The driver makes a DBRef of any object with `$ref` and `$id`: it was plain data, and is read as such.
  if (isDBRef(value)) return copyMembers(value.toJSON());
  return isObject(value) ? copyMembers(value) : value;
}

/** Of our own copy of BSON, whichever has made it: a UUID, as it would come back from the database, where it is one. */
export function copyBinary(value: Binary): Binary {
  const bytes = Uint8Array.from(value.value());
  return isUuid(value) ? new UUID(bytes) : new Binary(bytes, value.sub_type);
}

function copyMembers(object: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, member]) => [key, copyValue(member)])); // `__proto__` becomes a key as well
}

/**
 * A stored value as it can be sent to the database again: with Maps for objects, which the driver writes key by key. An object with a
 * `_bsontype` of its own is data that some client sent, and the driver would take it for a type.
 */
export function asSent(stored: unknown): unknown {
  if (Array.isArray(stored)) return stored.map(asSent);
  if (isDBRef(stored)) return asSent(stored.toJSON());
  return isStoredObject(stored) ? new Map(Object.entries(stored).map(([key, member]) => [key, asSent(member)])) : stored;
}
