import { Binary, UUID } from 'mongodb';
import { isBinary, isDBRef, isUuid } from './bson-type.ts';
import { isObject } from './plain-object.ts';
import { isStoredObject } from './stored-shape.ts';

/**
 * Copies a value in document form, so that every part of the copy may be changed. The driver's serializer is not used:
 * it would read a key `_bsontype` in a client's data as the name of a type.
 */
export function copyValue(value: unknown): unknown {
  if (Array.isArray(value)) return Array.from(value, copyValue);
  if (value instanceof Date) return new Date(value);
  if (isBinary(value)) return copyBinary(value);
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (value instanceof Map) return new Map(Array.from(value, ([key, member]) => [key, copyValue(member)]));
  // The driver reads every object with `$ref` and `$id` as a DBRef. It was stored as plain data, and is returned as
  // such.
  if (isDBRef(value)) return copyMembers(value.toJSON());
  return isObject(value) ? copyMembers(value) : value;
}

/** Copies a binary from any copy of `bson` to one of ours. A UUID becomes a `UUID`, as the database would return it. */
export function copyBinary(value: Binary): Binary {
  const bytes = Uint8Array.from(value.value());
  return isUuid(value) ? new UUID(bytes) : new Binary(bytes, value.sub_type);
}

function copyMembers(object: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, member]) => [key, copyValue(member)])); // keeps `__proto__` as a key
}

/**
 * Prepares a stored value for the driver: objects become Maps, which the driver writes key by key. The driver would
 * read the key `_bsontype` of an object, which a client may have sent, as the name of a type.
 */
export function asSent(stored: unknown): unknown {
  if (Array.isArray(stored)) return stored.map(asSent);
  if (isDBRef(stored)) return asSent(stored.toJSON());
  return isStoredObject(stored) ? new Map(Object.entries(stored).map(([key, member]) => [key, asSent(member)])) : stored;
}
