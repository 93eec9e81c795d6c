import { Decimal128, Double } from 'mongodb';
import { JsonNumber } from '../http/json.ts';
import { Invalid, type Leaf } from './leaf.ts';
import { writeUntyped } from './untyped.ts';

const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;
const int32 = 2 ** 31;

const notInteger = new Invalid('must be an integer');
const beyondInt64 = new Invalid(`must be an integer between ${minInt64} and ${maxInt64}`, true);
const beyondSafe = new Invalid(`must be an integer between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`, true);
const notNumber = new Invalid('must be a finite number');
const beyondDouble = new Invalid('must be a number within the range of a double', true);
const notDecimal = new Invalid('must be a decimal number, such as 12.50 or "12.50"');
const longDecimal = new Invalid('must have at most 34 significant digits and an exponent within the range of a Decimal128');

// Digits are taken in one way only: `\d+\.?\d*` would take quadratic time on a long text of them.
const numberText = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,6})?$/;
const integerText = /^([+-]?)(\d+)(?:\.0*)?$/;
const mostDigits = 19; // of an int64

/** The integer that a JSON number is (`5.0` is one), whatever its size. */
function toInteger(value: unknown): bigint | Invalid {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : notInteger;
  // A JsonNumber is a fraction, or an integer of more digits than a double can count.
  return value instanceof JsonNumber && !Number.isFinite(Number(value.text)) ? beyondInt64 : notInteger;
}

function inInt64(value: bigint): bigint | Invalid {
  return value < minInt64 || value > maxInt64 ? beyondInt64 : value;
}

// The driver stores a whole number beyond 32 bits as double: those go as bigint, which it stores as long.
function storeInteger(value: number): number | bigint {
  return value >= -int32 && value < int32 ? value + 0 : BigInt(value);
}

function integerFromText(text: string): bigint | Invalid {
  const [, sign = '', written] = integerText.exec(text) ?? [];
  if (written === undefined) return notInteger;
  const digits = written.replace(/^0+(?=\d)/, '');
  if (digits.length > mostDigits) return beyondInt64; // not made into a number: that takes longer the more there are
  return inInt64(sign === '-' ? -BigInt(digits) : BigInt(digits));
}

const integerBsonTypes = ['int', 'long', 'double', 'decimal'];

/** A whole number within the safe range of a JavaScript number. */
export const intLeaf: Leaf<number | bigint> = {
  name: 'int',
  readSchema: { type: 'integer' },
  textSchema: { type: 'integer', format: 'int64', minimum: minInt64, maximum: maxInt64 },
  range: { format: 'int64', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  bsonTypes: integerBsonTypes,
  fromJson(value) {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return storeInteger(value);
    const integer = toInteger(value);
    if (integer instanceof Invalid) return integer;
    return inInt64(integer) instanceof Invalid ? beyondInt64 : beyondSafe;
  },
  fromText: integerFromText,
  fromDocument: (value) => (typeof value === 'number' && Number.isSafeInteger(value) ? storeInteger(value) : notInteger),
  toDocument: (stored) => (typeof stored === 'bigint' ? Number(stored) : stored),
  toJson: writeUntyped,
};

/** A signed 64-bit integer. */
export const int64Leaf: Leaf<bigint> = {
  name: 'int64',
  readSchema: { type: 'integer', format: 'int64' },
  range: { minimum: minInt64, maximum: maxInt64 },
  bsonTypes: integerBsonTypes,
  fromJson(value) {
    const integer = toInteger(value);
    return integer instanceof Invalid ? integer : inInt64(integer);
  },
  fromText: integerFromText,
  fromDocument(value) {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
    return typeof value === 'bigint' ? inInt64(value) : notInteger;
  },
  toDocument: (stored) => (typeof stored === 'number' && Number.isInteger(stored) ? BigInt(stored) : stored),
  toJson: writeUntyped,
};

function storeDouble(value: number): Double | Invalid {
  return Number.isFinite(value) ? new Double(value) : beyondDouble;
}

/** A finite double. */
export const floatLeaf: Leaf<Double> = {
  name: 'float',
  readSchema: { type: 'number' },
  bsonTypes: integerBsonTypes,
  fromJson(value) {
    if (typeof value === 'number' || typeof value === 'bigint') return storeDouble(Number(value));
    return value instanceof JsonNumber ? storeDouble(Number(value.text)) : notNumber;
  },
  fromText: (text) => {
    const number = numberText.test(text) ? Number(text) : Number.NaN;
    return Number.isFinite(number) ? new Double(number) : notNumber;
  },
  fromDocument: (value) => (typeof value === 'number' && Number.isFinite(value) ? new Double(value) : notNumber),
  toDocument: (stored) => (typeof stored === 'bigint' || stored instanceof Double ? Number(stored) : stored),
  toJson: writeUntyped,
};

function parseDecimal(text: string): Decimal128 | Invalid {
  if (!numberText.test(text)) return notDecimal;
  try {
    return Decimal128.fromString(text);
  } catch {
    return longDecimal;
  }
}

function isNumber(value: unknown): value is number | bigint | JsonNumber {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof JsonNumber;
}

const isDigit = /^-?\d/;

// For descriptions of apis: JSON Schema advises against what RE2 does not have, so that 34 digits are not counted here.
const decimalPattern = '^[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?$';

/** A Decimal128. As a JSON number it keeps within the range of a double (RFC 8259 §6); as a string it may use its own range. */
export const decimalLeaf: Leaf<Decimal128> = {
  name: 'decimal',
  readSchema: { type: 'string', format: 'decimal' },
  writeSchema: { type: ['string', 'number'], format: 'decimal', pattern: decimalPattern },
  textSchema: { type: 'string', format: 'decimal', pattern: decimalPattern },
  bsonTypes: integerBsonTypes,
  fromJson(value) {
    if (typeof value === 'string') return parseDecimal(value);
    if (!isNumber(value)) return notDecimal;
    const text = String(value);
    return Number.isFinite(Number(text)) ? parseDecimal(text) : beyondDouble;
  },
  fromText: parseDecimal,
  fromDocument: (value) => (value instanceof Decimal128 && isDigit.test(value.toString()) ? value : notDecimal),
  toDocument: (stored) => (typeof stored === 'number' || typeof stored === 'bigint' ? Decimal128.fromString(String(stored)) : stored),
  toJson(stored) {
    const text = writeUntyped(stored);
    return isDigit.test(text) ? `"${text}"` : text;
  },
};
