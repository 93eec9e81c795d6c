import type { Decimal128 } from 'mongodb';
import { numberOf } from './accepted.ts';
import { isDecimal128 } from './bson-type.ts';
import { partsOf, partsOfText, toUnits } from './decimal-parts.ts';
import type { Leaf } from './leaf.ts';
import { maxInt64, minInt64 } from './number-leaves.ts';

/**
 * Ids that are numbers, as paths have them. The database compares numbers of all its types by their values, so that the
 * path of 5 leads to a decimal 5 as well. To 5.5 it leads where ids are doubles, and to none that is neither an integer
 * of 64 bits nor a double, such as a decimal 0.1.
 */
export interface NumbersInPaths {
  /** Whether a path leads to a record with this id. */
  has(stored: unknown): boolean;
  /** The same as a condition of the database, for ids that are numbers. */
  readonly condition: object;
  /** The JSON text of the number that equals a decimal. Undefined if the path leads to none. */
  toJson(decimal: Decimal128): string | undefined;
}

const integers: NumbersInPaths = {
  has(stored) {
    if (isDecimal128(stored)) return integers.toJson(stored) !== undefined;
    const value = numberOf(stored);
    return typeof value === 'bigint' || (Number.isInteger(value) && isInt64(BigInt(value as number)));
  },
  condition: equalAs('long'),
  toJson(decimal) {
    const value = isNumber(decimal) ? toUnits(decimal, 0) : undefined;
    return value !== undefined && isInt64(value) ? String(value) : undefined;
  },
};

const doubles: NumbersInPaths = {
  has(stored) {
    if (isDecimal128(stored)) return doubles.toJson(stored) !== undefined;
    const value = numberOf(stored);
    return typeof value === 'bigint' ? BigInt(Number(value)) === value : Number.isFinite(value);
  },
  condition: { _id: { $gt: Number.NEGATIVE_INFINITY, $lt: Number.POSITIVE_INFINITY }, ...equalAs('double') }, // NaN is less
  toJson: (decimal) => (isNumber(decimal) && isDouble(decimal) ? String(Number(decimal.toString())) : undefined),
};

/** The numbers that paths have of ids of a type. Undefined if ids of the type are no numbers. */
export function numbersInPaths({ name }: Leaf): NumbersInPaths | undefined {
  if (name === 'float') return doubles;
  return name === 'int' || name === 'int64' ? integers : undefined;
}

/**
 * The JSON text of an id, as references and paths have it. Two ids have the same text if the database finds one by the
 * other: a decimal 5 among integers has the text of the integer.
 */
export function idToJson(leaf: Leaf, id: unknown): string {
  return (isDecimal128(id) && numbersInPaths(leaf)?.toJson(id)) || leaf.toJson(id);
}

/** The text of a number that an id is, the same for equal numbers of all types. Undefined if it is none. */
export function numberTextOf(id: unknown): string | undefined {
  if (isDecimal128(id)) return isNumber(id) ? (toUnits(id, 0)?.toString() ?? doubles.toJson(id)) : undefined;
  if (typeof id === 'bigint' || Number.isInteger(id)) return String(BigInt(id as number)); // all digits, unlike those of a number
  return typeof id === 'number' ? String(id) : undefined;
}

function equalAs(type: 'long' | 'double'): object {
  return { $expr: { $eq: [{ $convert: { input: '$_id', to: type, onError: null } }, '$_id'] } };
}

const isNumber = (decimal: Decimal128): boolean => /^-?\d/.test(decimal.toString());
const isInt64 = (value: bigint): boolean => value >= minInt64 && value <= maxInt64;

/** More digits than a decimal has. */
const allDigits = 40;

/** Whether a decimal equals a double exactly: the decimal 0.1 equals none. */
function isDouble(decimal: Decimal128): boolean {
  const value = Number(decimal.toString());
  if (!Number.isFinite(value)) return false;
  const [a, b] = [partsOf(decimal), partsOfText(value.toPrecision(allDigits))];
  return a.digits === b.digits && a.power === b.power;
}
