import type { Binary, Decimal128, ObjectId } from 'mongodb';
import type { Operator } from '../../model/define/policy.ts';
import { isDecimal128, isDouble, isInt32, isLong } from '../../model/value/bson-type.ts';
import { compareDecimals } from '../../model/value/decimal-bounds.ts';
import { isStoredObject } from '../../model/value/stored-shape.ts';
import type { Condition } from './filter.ts';
import { bracketOf, isNaNValue } from './sort-value.ts';

/**
 * Whether the database would find a record by a condition, if it were stored like this: what `buildFilter` says of the condition, said
 * again in this process. A list has the value of any of its items, null is also what is missing, values of different types are neither equal
 * nor less, and numbers of all types are compared by value. Texts are compared byte by byte: a collation of the collection does not count.
 */
export function isWithin({ field, operator, value }: Condition, stored: unknown): boolean {
  const found = valuesAt(stored, field.path.split('.'));
  if (operator === 'exists') return found.some((one) => one !== missing) === value;
  const values = found.flatMap((one) => (Array.isArray(one) ? [...one, one] : [one]));
  return operator in negations ? !matches(values, negations[operator] as Positive, value) : matches(values, operator as Positive, value);
}

const missing: unique symbol = Symbol('missing');

/** The operators that one value decides. */
type Positive = Exclude<Operator, 'exists' | 'ne' | 'nin'>;

/** True where no value of the path is what they name; a record without a value is among those. */
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

/** All that stands at a path, {@link missing} where nothing does. Lists on the way are walked through: of them only the objects count. */
function valuesAt(value: unknown, [key, ...rest]: readonly string[]): unknown[] {
  if (key === undefined) return [value];
  if (Array.isArray(value)) return value.filter(isStoredObject).flatMap((item) => valuesAt(item, [key, ...rest]));
  return isStoredObject(value) && Object.hasOwn(value, key) ? valuesAt(value[key], rest) : [missing];
}

/** Below zero where `a` is less, above zero where it is more; NaN where the database compares them not at all. */
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
      return Number.NaN; // a list or an object: no scope compares with one
  }
}

/** The shorter is the less, then that of the lesser subtype. */
function compareBinaries(a: Binary, b: Binary): number {
  return a.length() - b.length() || a.sub_type - b.sub_type || Buffer.compare(a.value(), b.value());
}

function compareNumbers(a: unknown, b: unknown): number {
  if (isNaNValue(a) || isNaNValue(b)) return isNaNValue(a) && isNaNValue(b) ? 0 : Number.NaN;
  const [one, other] = [plainNumber(a), plainNumber(b)];
  if (endOf(one) !== 0 || endOf(other) !== 0) return endOf(one) - endOf(other);
  return compareDecimals(writeDigits(one), writeDigits(other));
}

type Plain = number | bigint | Decimal128;

function plainNumber(value: unknown): Plain {
  if (isDouble(value) || isInt32(value)) return value.value;
  return isLong(value) ? value.toBigInt() : (value as Plain);
}

/** 1 for infinity, -1 for negative infinity, 0 for every number between. */
function endOf(value: Plain): number {
  const isEnd = isDecimal128(value) ? value.toString().endsWith('Infinity') : Math.abs(Number(value)) === Number.POSITIVE_INFINITY;
  return isEnd ? Math.sign(Number(value)) : 0;
}

/** A double has more digits than a decimal, and is compared with all of them: 0.1 is not quite a tenth. A hundred leave no doubt. */
function writeDigits(value: Plain): string {
  return typeof value === 'number' ? value.toPrecision(100) : value.toString();
}
