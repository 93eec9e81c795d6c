import { BSON, type Document } from 'mongodb';
import { tagOf } from './bson-type.ts';
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

/** The most bytes of BSON for a unit of {@link roughSize}: a unit of UTF-16 has at most three in UTF-8. */
export const mostPerUnit = 3;

/**
 * The size of a stored value by the lengths of its texts, in a fraction of the time that its bytes take to count. As
 * BSON it has at most {@link mostPerUnit} bytes for each unit.
 */
export function roughSize(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return 5 + value.length;
    case 'number':
    case 'bigint':
      return 8;
    case 'object':
      return value === null ? 0 : roughSizeOfObject(value);
    default:
      return 1;
  }
}

function roughSizeOfObject(value: object): number {
  let size = emptyDocument;
  if (Array.isArray(value)) {
    for (const item of value) size += aroundItem + roughSize(item);
    return size;
  }
  if (value instanceof Date) return 8;
  const tag = tagOf(value);
  if (tag === 'ObjectId') return 12;
  if (tag === 'Decimal128') return 16;
  if (!isStoredObject(value)) return bsonSize({ value });
  for (const key of Object.keys(value)) size += 2 + key.length + roughSize(value[key]);
  return size;
}

const emptyDocument = 5;
/** The type of an item, its index and the NUL behind it. */
const aroundItem = 4;
