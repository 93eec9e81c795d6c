import type { Binary, Decimal128, ObjectId } from 'mongodb';
import type { Operator } from '../../model/define/policy.ts';
import { isDecimal128, isDouble, isInt32, isLong } from '../../model/value/bson-type.ts';
import { compareDecimals } from '../../model/value/decimal-bounds.ts';
import { isStoredObject } from '../../model/value/stored-shape.ts';
import { type Condition, isOpen } from './filter.ts';
import { bracketOf, isNaNValue } from './sort-value.ts';

/**
 * Whether a filter with this condition would match a record with this stored form. It evaluates in this process what
 * `buildFilter` asks of the database: an array matches if one of its items does, missing values equal null, values of
 * different types are neither equal nor ordered, and numbers of all types are compared by value. Strings are compared
 * byte by byte: a collation of the collection is ignored.
 */
export function isWithin(condition: Condition, stored: unknown): boolean {
  const { field, operator, value } = condition;
  if (isOpen(condition)) return true;
  const found = valuesAt(stored, field.path.split('.'));
  if (operator === 'exists') return found.some((one) => one !== missing) === value;
  const values = found.flatMap((one) => (Array.isArray(one) ? [...one, one] : [one]));
  return operator in negations ? !matches(values, negations[operator] as Positive, value) : matches(values, operator as Positive, value);
}

const missing: unique symbol = Symbol('missing');

/** The operators that match if one value at the path matches. */
type Positive = Exclude<Operator, 'exists' | 'ne' | 'nin'>;

/**
 * Operators that match if no value at the path matches the other operator. They also match a record without a value.
 */
const negations: { readonly [Name in Operator]?: Positive } = { ne: 'eq', nin: 'in' };

function matches(values: readonly unknown[], operator: Positive, operand: unknown): boolean {
  return values.some((value) => tests[operator](value === missing || value === undefined ? null : value, operand));
}

const tests: { readonly [Name in Positive]: (value: unknown, operand: unknown) => boolean } = {
  eq: (value, operand) => compare(value, operand) === 0,
  in: (value, operands) => (operands as readonly unknown[]).some((operand) => compare(value, operand) === 0),
  gt: (value, operand) => compare(value, operand) > 0,
  gte: (value, operand) => compare(value, operand) >= 0,
  lt: (value, operand) => compare(value, operand) < 0,
  lte: (value, operand) => compare(value, operand) <= 0,
  prefix: (value, operand) => typeof value === 'string' && value.startsWith(operand as string),
};

/**
 * All values at a path, with {@link missing} for an object without the key. In arrays on the path, only items that are
 * objects count.
 */
function valuesAt(value: unknown, [key, ...rest]: readonly string[]): unknown[] {
  if (key === undefined) return [value];
  if (Array.isArray(value)) return value.filter(isStoredObject).flatMap((item) => valuesAt(item, [key, ...rest]));
  if (value instanceof Map) return value.has(key) ? valuesAt(value.get(key), rest) : [missing]; // of a body
  return isStoredObject(value) && Object.hasOwn(value, key) ? valuesAt(value[key], rest) : [missing];
}

/**
 * Negative if `a` is less than `b`, positive if it is greater, 0 if they are equal. NaN if the database does not
 * compare them.
 */
function compare(a: unknown, b: unknown): number {
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
      return Number.NaN; // an array or an object, with which no scope compares
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
