import { createHash } from 'node:crypto';
import { Binary, BSON, Decimal128, Double, Int32, Long, ObjectId } from 'mongodb';
import { Problem } from '../errors.ts';
import type { Condition, Filter } from './filter.ts';
import type { SortKey } from './list-query.ts';

/** A sort value of a record: a stored single value, or null for a missing one. */
type CursorValue = unknown;

/**
 * A place between two records of a sorted list: right behind (`1`) or right before (`-1`) the record with these sort values. Nothing stands
 * there, so that nothing is lost when that record goes: on either side of a position begins what `after` and `before` lead to.
 */
export interface Position {
  readonly values: readonly CursorValue[];
  readonly side: 1 | -1;
}

/**
 * Writes a cursor: a position, its values with their types, and the digest of the list that it belongs to. URL-safe. It is no secret and
 * grants nothing: scope and filter are applied again on every page.
 */
export function formatCursor(digest: string, { values, side }: Position): string {
  return Buffer.from(BSON.EJSON.stringify([digest, side === 1, ...values.map(exact)], { relaxed: false })).toString('base64url');
}

// EJSON takes a whole number for an integer, and writes 2 ** 60 as 1152921504606847000: another place in the order.
function exact(value: CursorValue): CursorValue {
  return typeof value === 'number' ? new Double(value) : value;
}

/**
 * Reads a cursor back. Its values are checked against the sort fields' types like any input, so that a forged one can say no more than a
 * filter could. Throws `invalid_cursor` (400) for anything else, a cursor of another list included.
 */
export function parseCursor(cursor: string, digest: string, sort: readonly SortKey[]): Position {
  const parts = decode(cursor);
  if (!Array.isArray(parts) || typeof parts[0] !== 'string') throw invalid('It is damaged');
  if (parts[0] !== digest) throw invalid('It belongs to another list: another resource, sort or filter');
  const [, isBehind, ...values]: unknown[] = parts;
  const isWhole = typeof isBehind === 'boolean' && values.length === sort.length;
  if (!isWhole || !sort.every((key, index) => isOfField(values[index], key))) throw invalid('It is damaged');
  return { values, side: isBehind ? 1 : -1 };
}

function decode(cursor: string): unknown {
  try {
    return BSON.EJSON.parse(Buffer.from(cursor, 'base64url').toString(), { relaxed: false });
  } catch {
    return undefined;
  }
}

function invalid(reason: string): Problem {
  return new Problem('invalid_cursor', `${reason}; begin again without a cursor.`);
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

/** The same records from the other end, and the same position seen from there. */
export function reverseSort(sort: readonly SortKey[]): SortKey[] {
  return sort.map(({ field, direction }) => ({ field, direction: reverse(direction) }));
}

/** See {@link reverseSort}. */
export function reversePosition({ values, side }: Position): Position {
  return { values, side: reverse(side) };
}

function reverse(direction: 1 | -1): 1 | -1 {
  return direction === 1 ? -1 : 1;
}

/**
 * The records behind a position, as filters of ranges that follow each other: for the keys `a, b`, first those with an equal `a` and a `b`
 * behind, then those with an `a` behind. In each the leading keys are equal and the next one is bounded, so that the database reads any of
 * them from an index of the keys without looking at a record before it. One filter of all (`$or`) would leave the choice of an index for
 * each range to chance, and sort the whole rest of the list where it is wrong.
 *
 * The order of values is MongoDB's: null and missing first, then NaN, then the rest. Comparisons are bracketed by type there (`$gt: null`
 * matches nothing), so null and NaN have ranges of their own.
 */
export function rangesBehind(sort: readonly SortKey[], { values, side }: Position): Filter[] {
  const ranges = sort.map((key, index): Filter[] => {
    const equal = Object.fromEntries(sort.slice(0, index).map(({ field }, at) => [field.path, { $eq: values[at] ?? null }]));
    const takesEqual = side === -1 && index === sort.length - 1;
    return beyond(key, values[index], takesEqual).map((condition) => ({ ...equal, ...condition }));
  });
  return ranges.reverse().flat();
}

/** The ranges in which one key is behind a value, or equal to it: that is asked of the id only, which is neither null nor NaN. */
function beyond({ field, direction }: SortKey, value: CursorValue, takesEqual: boolean): Filter[] {
  const { path } = field;
  const missing = path === '_id' ? [] : [null];
  const nan = field.leaf?.bsonTypes.includes('double') ? [Number.NaN] : [];
  const last = (values: readonly unknown[]): Filter[] => (values.length > 0 ? [{ [path]: { $in: values } }] : []);
  if (value === null || value === undefined) return direction === 1 ? [{ [path]: { $ne: null } }] : [];
  if (isNaNValue(value)) return direction === 1 ? [{ [path]: { $gte: Number.NEGATIVE_INFINITY } }] : last(missing);
  if (direction === 1) return [{ [path]: takesEqual ? { $gte: value } : { $gt: value } }];
  return [{ [path]: takesEqual ? { $lte: value } : { $lt: value } }, ...last([...nan, ...missing])];
}

function isNaNValue(value: CursorValue): boolean {
  return Number.isNaN(value instanceof Double ? value.value : value) || (value instanceof Decimal128 && value.toString() === 'NaN');
}
