import { Binary, DBRef, UUID } from 'mongodb';
import { isObject } from './plain-object.ts';
import { isStoredObject } from './stored-shape.ts';

/**
 * A value of its own, as handlers hold it, of which every part may be changed. It never passes through the driver, to which `_bsontype` in a
 * client's data would be the name of a type.
 */
export function copyValue(value: unknown): unknown {
  if (Array.isArray(value)) return Array.from(value, copyValue);
  if (value instanceof Date) return new Date(value);
  if (value instanceof UUID) return new UUID(value);
  if (value instanceof Binary) return new Binary(Uint8Array.from(value.value()), value.sub_type);
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (value instanceof Map) return new Map(Array.from(value, ([key, member]) => [key, copyValue(member)]));
  // The driver makes a DBRef of any object with `$ref` and `$id`: it was plain data, and is read as such.
  if (value instanceof DBRef) return copyMembers(value.toJSON());
  return isObject(value) ? copyMembers(value) : value;
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
  if (stored instanceof DBRef) return asSent(stored.toJSON());
  return isStoredObject(stored) ? new Map(Object.entries(stored).map(([key, member]) => [key, asSent(member)])) : stored;
}
