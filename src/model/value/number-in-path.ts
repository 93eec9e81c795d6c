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
  /** The JSON text of a stored id as its path has it. Undefined if no path leads to it. */
  toJson(stored: unknown): string | undefined;
  /** Whether a path leads to a record, as a condition of the database for ids that are numbers. */
  readonly condition: object;
}

const integers: NumbersInPaths = {
  toJson(stored) {
    if (Number.isSafeInteger(stored)) return String(stored); // nearly always
    const value = integerOf(stored);
    return value !== undefined && isInt64(value) ? String(value) : undefined;
  },
  condition: equalAs('long'),
};

const doubles: NumbersInPaths = {
  toJson: (stored) => doubleOf(stored)?.toString(),
  condition: { _id: { $gt: Number.NEGATIVE_INFINITY, $lt: Number.POSITIVE_INFINITY }, ...equalAs('double') }, // NaN is less
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
  return numbersInPaths(leaf)?.toJson(id) ?? leaf.toJson(id);
}

/** The text of a finite number that an id is, the same for equal numbers of all types. Undefined if it is none. */
export function numberTextOf(id: unknown): string | undefined {
  return (integerOf(id) ?? doubleOf(id))?.toString();
}

/** The integer that a stored number equals. */
function integerOf(stored: unknown): bigint | undefined {
  if (isDecimal128(stored)) return isNumber(stored) ? toUnits(stored, 0) : undefined;
  const value = numberOf(stored);
  if (typeof value !== 'number') return value;
  return Number.isInteger(value) ? BigInt(value) : undefined;
}

/** The finite double that a stored number equals. */
function doubleOf(stored: unknown): number | undefined {
  if (isDecimal128(stored)) return isNumber(stored) && isDouble(stored) ? Number(stored.toString()) : undefined;
  const value = numberOf(stored);
  if (typeof value === 'bigint') return BigInt(Number(value)) === value ? Number(value) : undefined;
  return Number.isFinite(value) ? value : undefined;
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
