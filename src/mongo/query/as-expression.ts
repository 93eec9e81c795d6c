import type { Document as BsonDocument } from 'mongodb';
import { isObject } from '../../model/value/plain-object.ts';
import type { Filter } from './filter.ts';

/**
 * Writes a filter as an expression about a document that a variable holds, such as `$$this`: true exactly if the filter
 * matches. Undefined for what has no short expression: dotted paths, and other operators than `$eq`, `$in`, `$exists`
 * and, for `_id`, `$type`.
 */
export function asExpression(filter: Filter, variable: string): BsonDocument | undefined {
  const parts = Object.entries(filter).map(([key, value]) => {
    if (key === '$and') return all((value as readonly Filter[]).map((one) => asExpression(one, variable)));
    return key.startsWith('$') || key.includes('.') ? undefined : onField(`${variable}.${key}`, key, value);
  });
  return all(parts);
}

function onField(field: string, key: string, value: unknown): BsonDocument | undefined {
  if (!isObject(value)) return isSingle(value) ? isAmong(field, [value]) : undefined;
  return all(Object.entries(value).map(([operator, operand]) => compare(field, key, operator, operand)));
}

function compare(field: string, key: string, operator: string, operand: unknown): BsonDocument | undefined {
  switch (operator) {
    case '$eq':
      return isSingle(operand) ? isAmong(field, [operand]) : undefined;
    case '$in':
      return Array.isArray(operand) && operand.every(isSingle) ? isAmong(field, operand) : undefined;
    case '$exists':
      return { [operand ? '$ne' : '$eq']: [{ $type: field }, 'missing'] };
    case '$type':
      return key === '_id' ? { $in: [{ $type: field }, { $literal: operand }] } : undefined; // an id is no array
    default:
      return undefined;
  }
}

/** Whether the value is one of these, or an array with one of them. A missing value counts as null. */
function isAmong(field: string, values: readonly unknown[]): BsonDocument {
  const literals = { $literal: values };
  const orNull = { $ifNull: [field, null] };
  const items = { $cond: [{ $isArray: field }, field, []] };
  return { $or: [{ $in: [orNull, literals] }, { $ne: [{ $setIntersection: [items, literals] }, []] }] };
}

/** Whether a value is compared as it is: neither an array nor an object. */
function isSingle(value: unknown): boolean {
  if (typeof value !== 'object') return value !== undefined;
  return value === null || value instanceof Date || ('_bsontype' in value && comparable.has(value._bsontype));
}

const comparable = new Set<unknown>(['ObjectId', 'Binary', 'Decimal128', 'Double', 'Int32', 'Long']);

function all(parts: readonly (BsonDocument | undefined)[]): BsonDocument | undefined {
  if (parts.includes(undefined)) return undefined;
  return parts.length === 1 ? parts[0] : { $and: parts };
}
