import { createHash } from 'node:crypto';
import { Binary, BSON, Decimal128, Double, Int32, Long, ObjectId } from 'mongodb';
import { Problem } from '../errors.ts';
import type { Condition, Filter } from './filter.ts';
import type { SortKey } from './list-query.ts';

/** A sort value of the last record of a page: a stored single value, or null for a missing one. */
export type CursorValue = unknown;

/**
 * Writes the cursor of a page: the sort values of its last record, with their types, and the digest of the list it belongs to. URL-safe.
 * It is no secret and grants nothing: scope and filter are applied again on every page.
 */
export function formatCursor(digest: string, values: readonly CursorValue[]): string {
  return Buffer.from(BSON.EJSON.stringify([digest, ...values.map(exact)], { relaxed: false })).toString('base64url');
}

// EJSON takes a whole number for an integer, and writes 2 ** 60 as 1152921504606847000: another place in the order.
function exact(value: CursorValue): CursorValue {
  return typeof value === 'number' ? new Double(value) : value;
}

/**
 * Reads a cursor back. Its values are checked against the sort fields' types like any input, so that a forged one can say no more than a
 * filter could. Throws `invalid_cursor` (400) for anything else, a cursor of another list included.
 */
export function parseCursor(cursor: string, digest: string, sort: readonly SortKey[]): CursorValue[] {
  const parts = decode(cursor);
  if (!Array.isArray(parts) || typeof parts[0] !== 'string') throw invalid('It is damaged');
  if (parts[0] !== digest) throw invalid('It belongs to another list: another resource, sort or filter');
  const values: unknown[] = parts.slice(1);
  if (values.length !== sort.length || !sort.every((key, index) => isOfField(values[index], key))) throw invalid('It is damaged');
  return values;
}

function decode(cursor: string): unknown {
  try {
    return BSON.EJSON.parse(Buffer.from(cursor, 'base64url').toString(), { relaxed: false });
  } catch {
    return undefined;
  }
}

function invalid(reason: string): Problem {
  return new Problem('invalid_cursor', `${reason}; begin again without \`after\`.`);
}

/** Whether a value may stand in a cursor for this key: null, or of a BSON type that its field can have. */
export function isOfField(value: unknown, { field }: SortKey): boolean {
  if (value === null || value === undefined) return field.path !== '_id';
  if (field.path === '_id' && isNaNValue(value)) return false; // no record has such an id, and nothing is behind it
  const type = bsonTypeOf(value);
  return type !== undefined && (field.leaf?.bsonTypes.includes(type) ?? false);
}

/** The `$type` name of a single value; undefined for everything that no sortable field holds. */
export function bsonTypeOf(value: unknown): string | undefined {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number' || value instanceof Double) return 'double';
  if (typeof value === 'bigint' || (value instanceof Long && value._bsontype === 'Long')) return 'long';
  if (value instanceof Int32) return 'int';
  if (value instanceof Decimal128) return 'decimal';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : 'date';
  if (value instanceof ObjectId) return 'objectId';
  return value instanceof Binary ? 'binData' : undefined;
}

/** What a cursor is bound to: the resource, the sort and the filter. */
export function digestQuery(resource: string, sort: readonly SortKey[], conditions: readonly Condition[]): string {
  const order = sort.map(({ field, direction }) => [field.name, direction]);
  const filter = conditions
    .map(({ field, operator, value }) => [field.name, operator, value])
    .sort(([a, b], [c, d]) => (`${a}[${b}` < `${c}[${d}` ? -1 : 1));
  return createHash('sha256')
    .update(BSON.EJSON.stringify([resource, order, filter], { relaxed: false }))
    .digest('base64url')
    .slice(0, 16);
}

/**
 * The filter of the records behind a cursor, in MongoDB's order of values: null and missing first, then NaN, then the rest. Comparisons
 * are bracketed by type there (`$gt: null` matches nothing), so null and NaN have cases of their own.
 *
 * For the keys `a, b` it says: `a` is behind, or `a` is equal and `b` is behind.
 */
export function behind(sort: readonly SortKey[], values: readonly CursorValue[]): Filter {
  const branches = sort.flatMap((key, index) => {
    const equal = sort.slice(0, index).map((earlier, at) => ({ [earlier.field.path]: equalTo(values[at]) }));
    return beyond(key, values[index]).map((condition) => ({ $and: [...equal, condition] }));
  });
  return { $or: branches };
}

function equalTo(value: CursorValue): Record<string, unknown> {
  return { $eq: value ?? null };
}

/** The alternatives in which one key is strictly behind a value. */
function beyond({ field, direction }: SortKey, value: CursorValue): Filter[] {
  const { path } = field;
  const isNull = value === null || value === undefined;
  if (direction === 1) {
    if (isNull) return [{ [path]: { $ne: null } }];
    return isNaNValue(value) ? [{ [path]: { $gte: Number.NEGATIVE_INFINITY } }] : [{ [path]: { $gt: value } }];
  }
  if (isNull) return [];
  const missing: Filter[] = path === '_id' ? [] : [{ [path]: null }];
  if (isNaNValue(value)) return missing;
  const nan: Filter[] = field.leaf?.bsonTypes.includes('double') ? [{ [path]: Number.NaN }] : [];
  return [{ [path]: { $lt: value } }, ...nan, ...missing];
}

function isNaNValue(value: CursorValue): boolean {
  return Number.isNaN(value instanceof Double ? value.value : value) || (value instanceof Decimal128 && value.toString() === 'NaN');
}
