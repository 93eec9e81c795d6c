import { Binary, ObjectId } from 'mongodb';
import type { QueryField } from '../../model/compile/query-fields.ts';
import type { Filter } from './filter.ts';
import { bracketOf, brackets, isNaNValue } from './sort-value.ts';

/** One key of a sort, with its direction as the database writes it. */
export interface SortKey {
  readonly field: QueryField;
  readonly direction: 1 | -1;
}

/**
 * A place between two records of a sorted list: right behind (`1`) or right before (`-1`) the record with these sort values, null for a
 * missing one. Nothing stands there, so that nothing is lost when that record goes: on either side of a position begins what `after` and
 * `before` lead to.
 *
 * What is stored decides the order, not what the model now says: a value may be of another type than its field. It is only compared with.
 */
export interface Position {
  readonly values: readonly unknown[];
  readonly side: 1 | -1;
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
 * A range says what is not behind, because MongoDB's comparisons keep within a type: `$gt: 5` finds no text, and `$gt: null` nothing at all.
 * So it holds all that is stored, values of other types and what has no place in the order (for the page to refuse) included.
 */
export function rangesBehind(sort: readonly SortKey[], { values, side }: Position): Filter[] {
  const ranges = sort.map(({ field: { path }, direction }, index): Filter => {
    const equal = Object.fromEntries(sort.slice(0, index).map(({ field }, at) => [field.path, { $eq: values[at] ?? null }]));
    const takesEqual = side === -1 && index === sort.length - 1;
    const conditions = notBefore(values[index] ?? null, direction, takesEqual).map((condition) => ({ [path]: condition }));
    return conditions.length > 0 ? { ...equal, $and: conditions } : equal;
  });
  return ranges.reverse();
}

/** Where each step of the order begins: null and missing, NaN, the other numbers, and then a step for each of the {@link brackets}. */
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

/** The steps of null and NaN, which are one value each. */
const single = 2;

function notBefore(value: unknown, direction: 1 | -1, takesEqual: boolean): Filter[] {
  const at = stepOf(value);
  const before = (direction === 1 ? steps.slice(0, at) : steps.slice(at + 1)).map(notOfStep);
  if (at < single) return takesEqual ? before : [...before, notOfStep(steps[at])];
  const operator = direction === 1 ? (takesEqual ? '$lt' : '$lte') : takesEqual ? '$gt' : '$gte';
  return [...before, { $not: { [operator]: value } }];
}

function stepOf(value: unknown): number {
  if (value === null) return 0;
  return isNaNValue(value) ? 1 : brackets.indexOf(bracketOf(value) as (typeof brackets)[number]) + single;
}

function notOfStep(step: unknown): Filter {
  return step === null || Number.isNaN(step) ? { $ne: step } : { $not: { $gte: step } };
}
