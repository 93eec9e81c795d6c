import { Binary, ObjectId } from 'mongodb';
import type { QueryField } from '../../model/compile/query-fields.ts';
import { bracketOf, brackets, isNaNValue } from '../../model/value/sort-value.ts';
import type { Filter } from '../predicate/predicate.ts';

/** One key of a sort, with its direction in the form of the database. */
export interface SortKey {
  readonly field: QueryField;
  readonly direction: 1 | -1;
}

/**
 * A place between two records of a sorted list: just behind (`1`) or just before (`-1`) the record with these sort
 * values. A missing value is null. The pages of `after` and `before` begin at a position. It is not a record, so a
 * position stays valid when its record is deleted.
 *
 * The stored values decide the order, and not the model: a value may be of another type than its field. Values are only
 * compared.
 */
export interface Position {
  readonly values: readonly unknown[];
  readonly side: 1 | -1;
}

/** Reverses a sort: the same records, read from the other end. */
export function reverseSort(sort: readonly SortKey[]): SortKey[] {
  return sort.map(({ field, direction }) => ({ field, direction: reverse(direction) }));
}

/** The same position, for the reversed sort. */
export function reversePosition({ values, side }: Position): Position {
  return { values, side: reverse(side) };
}

function reverse(direction: 1 | -1): 1 | -1 {
  return direction === 1 ? -1 : 1;
}

/**
 * The records behind a position, as filters of consecutive ranges. For the keys `a, b`, the first range has the records
 * with an equal `a` and a later `b`, and the second those with a later `a`. In each range the leading keys are equal
 * and the next key is bounded, so that the database can read it from an index of the keys without looking at earlier
 * records. A single filter (`$or`) would leave the choice of an index for each range to chance, and sort the whole rest
 * of the list after a wrong choice.
 *
 * But where no index has a key, each range of its values would cost another look at all records of the range that holds
 * it. So ranges that differ only in keys behind the first `indexed` ones are a single range. It is a double negation,
 * because an `$or` would have the database look for an index for each of them again.
 *
 * A range is written as the exclusion of all earlier values, because MongoDB compares only values of the same type:
 * `$gt: 5` finds no strings, and `$gt: null` nothing at all. So a range also has the values of other types, and those
 * without a place in the order, which the page refuses.
 */
export function rangesBehind(sort: readonly SortKey[], { values, side }: Position, indexed = sort.length): Filter[] {
  const equalUntil = (end: number) =>
    Object.fromEntries(sort.slice(0, end).map(({ field }, at) => [field.path, { $eq: values[at] ?? null }]));
  const ranges = sort.map(({ field: { path }, direction }, index): Filter => {
    const equal = equalUntil(index);
    const takesEqual = side === -1 && index === sort.length - 1;
    const conditions = notBefore(values[index] ?? null, direction, takesEqual).map((condition) => ({ [path]: condition }));
    return conditions.length > 0 ? { ...equal, $and: conditions } : equal;
  });
  if (sort.length - indexed < 2) return ranges.reverse();
  const within = rangesBehind(sort.slice(indexed), { values: values.slice(indexed), side });
  return [{ ...equalUntil(indexed), $nor: [{ $nor: within }] }, ...ranges.slice(0, indexed).reverse()];
}

/**
 * The first value of each step of the order: null and missing, NaN, the other numbers, then one step for each further
 * bracket.
 */
const steps = [
  null,
  Number.NaN,
  Number.NEGATIVE_INFINITY,
  '',
  new Binary(new Uint8Array()),
  new ObjectId('0'.repeat(24)),
  false,
  new Date(-8.64e15),
] as const;

/** How many steps at the beginning have only one value: null, and NaN. */
const singleValueSteps = 2;

function notBefore(value: unknown, direction: 1 | -1, takesEqual: boolean): Filter[] {
  const at = stepOf(value);
  const before = (direction === 1 ? steps.slice(0, at) : steps.slice(at + 1)).map(notOfStep);
  if (at < singleValueSteps) return takesEqual ? before : [...before, notOfStep(steps[at])];
  const operator = direction === 1 ? (takesEqual ? '$lt' : '$lte') : takesEqual ? '$gt' : '$gte';
  return [...before, { $not: { [operator]: value } }];
}

function stepOf(value: unknown): number {
  if (value === null) return 0;
  return isNaNValue(value) ? 1 : brackets.indexOf(bracketOf(value) as (typeof brackets)[number]) + singleValueSteps;
}

function notOfStep(step: unknown): Filter {
  return step === null || Number.isNaN(step) ? { $ne: step } : { $not: { $gte: step } };
}
