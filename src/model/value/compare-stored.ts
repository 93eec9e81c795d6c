import type { Binary, Decimal128, ObjectId } from 'mongodb';
import { isDecimal128, isDouble, isInt32, isLong } from './bson-type.ts';
import { compareDecimals } from './decimal-bounds.ts';
import { bracketOf, isNaNValue } from './sort-value.ts';

/**
 * Compares single values as the database does: negative if `a` is less than `b`, positive if it is greater, 0 if they
 * are equal, and NaN if the database does not compare them. Strings are compared byte by byte.
 */
export function compareStored(a: unknown, b: unknown): number {
  const bracket = bracketOf(a);
  if (bracket !== bracketOf(b)) return Number.NaN;
  switch (bracket) {
    case 'null':
      return 0;
    case 'number':
      return compareNumbers(a, b);
    case 'string':
      return Buffer.compare(Buffer.from(a as string), Buffer.from(b as string));
    case 'bool':
    case 'date':
      return Number(a) - Number(b);
    case 'objectId':
      return Buffer.compare((a as ObjectId).id, (b as ObjectId).id);
    case 'binData':
      return compareBinaries(a as Binary, b as Binary);
    default:
      return Number.NaN; // an array or an object, with which no operator compares
  }
}

/** Compares by length, then by subtype, then byte by byte. */
function compareBinaries(a: Binary, b: Binary): number {
  return a.length() - b.length() || a.sub_type - b.sub_type || Buffer.compare(a.value(), b.value());
}

function compareNumbers(a: unknown, b: unknown): number {
  if (isNaNValue(a) || isNaNValue(b)) return isNaNValue(a) && isNaNValue(b) ? 0 : Number.NaN;
  const [left, right] = [plainNumber(a), plainNumber(b)];
  if (infinitySign(left) !== 0 || infinitySign(right) !== 0) return infinitySign(left) - infinitySign(right);
  return compareDecimals(writeDigits(left), writeDigits(right));
}

type Plain = number | bigint | Decimal128;

function plainNumber(value: unknown): Plain {
  if (isDouble(value) || isInt32(value)) return value.value;
  return isLong(value) ? value.toBigInt() : (value as Plain);
}

/** 1 for infinity, -1 for negative infinity, 0 for every finite number. */
function infinitySign(value: Plain): number {
  const isInfinite = isDecimal128(value) ? value.toString().endsWith('Infinity') : Math.abs(Number(value)) === Number.POSITIVE_INFINITY;
  return isInfinite ? Math.sign(Number(value)) : 0;
}

/**
 * Writes a number for comparison. A double may have more digits than a decimal, since 0.1 is not exactly a tenth: a
 * hundred digits suffice.
 */
function writeDigits(value: Plain): string {
  return typeof value === 'number' ? value.toPrecision(100) : value.toString();
}
