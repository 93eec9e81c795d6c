import { BSON, type Document } from 'mongodb';
import { isStoredObject } from './stored-shape.ts';

/** Version 6 of `bson` takes a Map for an object without members. */
const countsMaps = BSON.calculateObjectSize(new Map([['a', 1]]) as object as Document) > BSON.calculateObjectSize({});

/** The size of a stored document as BSON, in bytes. Members that are undefined count nothing. */
export function bsonSize(document: object): number {
  return BSON.calculateObjectSize(countsMaps ? document : (withoutMaps(document) as Document), { ignoreUndefined: true });
}

/** The same value with an object in place of each Map. */
function withoutMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMaps);
  if (!(value instanceof Map) && !isStoredObject(value)) return value;
  const members = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(members.map(([key, one]) => [key, withoutMaps(one)]));
}
