import { Decimal128, Double } from 'mongodb';
import { JsonNumber, numberPattern, toInteger, underflows } from '../../http/json-number.ts';
import { Invalid } from '../../rules.ts';
import { safeDouble } from './accepted.ts';
import { isDecimal128, isDouble } from './bson-type.ts';
import { encodeDecimal, isDecimalNumber } from './decimal-text.ts';
import type { Leaf } from './leaf.ts';
import { writeUntyped } from './untyped.ts';
import { writeBsonDecimal } from './write-bson.ts';

export const minInt64 = -(2n ** 63n);
export const maxInt64 = 2n ** 63n - 1n;
const int32 = 2 ** 31;

const notInteger = new Invalid('type', 'must be an integer', { type: 'integer' });
const beyondInt64 = new Invalid('out_of_range', `must be an integer between ${minInt64} and ${maxInt64}`, {
  minimum: minInt64,
  maximum: maxInt64,
});
const { MIN_SAFE_INTEGER: minimum, MAX_SAFE_INTEGER: maximum } = Number;
const beyondSafe = new Invalid('out_of_range', `must be an integer between ${minimum} and ${maximum}`, { minimum, maximum });
const notNumber = new Invalid('type', 'must be a finite number', { type: 'number' });
const beyondDouble = new Invalid('out_of_range', 'must be a number within the range of a double');
const tooSmall = new Invalid('underflow', 'must not be a number other than zero that a double would hold as zero');
const notDecimal = new Invalid('type', 'must be a decimal number, such as 12.50 or "12.50"', { type: 'decimal' });
const longDecimal = new Invalid('precision', 'must have at most 34 significant digits and an exponent within the range of a Decimal128', {
  limit: 34,
});

const numberText = new RegExp(`^${numberPattern}$`);
const integerText = /^([+-]?)(\d+)(?:\.0*)?$/;
const maxInt64Digits = 19;

/** Reads a JSON number as an integer of any size. `5.0` is an integer too. */
function readInteger(value: unknown): bigint | Invalid {
  if (typeof value === 'bigint') return value;
  if (typeof value !== 'number' && !(value instanceof JsonNumber)) return notInteger;
  return toInteger(value) ?? (Number.isFinite(Number(value)) ? notInteger : beyondInt64);
}

function checkInt64(value: bigint): bigint | Invalid {
  return value < minInt64 || value > maxInt64 ? beyondInt64 : value;
}

/** The driver stores an integer beyond 32 bits as a double if it is a number, and as a long if it is a bigint. */
export function storeInteger(value: number): number | bigint {
  return value >= -int32 && value < int32 ? value + 0 : BigInt(value);
}

function integerFromText(text: string): bigint | Invalid {
  const [, sign = '', written] = integerText.exec(text) ?? [];
  if (written === undefined) return notInteger;
  const digits = written.replace(/^0+(?=\d)/, '');
  if (digits.length > maxInt64Digits) return beyondInt64; // before `BigInt`, which takes long for many digits
  return checkInt64(sign === '-' ? -BigInt(digits) : BigInt(digits));
}

const integerBsonTypes = ['int', 'long', 'double', 'decimal'];

/** An integer within the safe range of a JavaScript number. */
export const intLeaf: Leaf<number | bigint> = {
  name: 'int',
  readSchema: { type: 'integer' },
  textSchema: { type: 'integer', format: 'int64', minimum: minInt64, maximum: maxInt64 },
  range: { format: 'int64', minimum, maximum },
  bsonTypes: integerBsonTypes,
  accepted: [{ ...safeDouble, bsonTypes: ['int', 'long', 'double'] }],
  fromJson(value) {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return storeInteger(value);
    const integer = readInteger(value);
    if (integer instanceof Invalid) return integer;
    return checkInt64(integer) instanceof Invalid ? beyondInt64 : beyondSafe;
  },
  fromText: integerFromText,
  fromDocument: (value) => (typeof value === 'number' && Number.isSafeInteger(value) ? storeInteger(value) : notInteger),
  toDocument: (stored) => (typeof stored === 'bigint' ? Number(stored) : stored),
  toJson: (stored) => (Number.isFinite(stored) ? String(stored) : writeUntyped(stored)),
};

/** A signed 64-bit integer. */
export const int64Leaf: Leaf<bigint> = {
  name: 'int64',
  readSchema: { type: 'integer', format: 'int64' },
  range: { minimum: minInt64, maximum: maxInt64 },
  bsonTypes: integerBsonTypes,
  accepted: [{ bsonTypes: ['int', 'long'] }, safeDouble],
  fromJson(value) {
    const integer = readInteger(value);
    return integer instanceof Invalid ? integer : checkInt64(integer);
  },
  fromText: integerFromText,
  fromDocument(value) {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
    return typeof value === 'bigint' ? checkInt64(value) : notInteger;
  },
  toDocument: (stored) => (typeof stored === 'number' && Number.isInteger(stored) ? BigInt(stored) : stored),
  toJson: writeUntyped,
};

function storeDouble(text: string): Double | Invalid {
  const value = Number(text);
  if (!Number.isFinite(value)) return beyondDouble;
  return underflows(text) ? tooSmall : new Double(value);
}

/** A finite double. */
export const floatLeaf: Leaf<Double> = {
  name: 'float',
  readSchema: { type: 'number' },
  bsonTypes: integerBsonTypes,
  accepted: [{ bsonTypes: ['int', 'long', 'double'] }],
  fromJson(value) {
    if (typeof value === 'number') return Number.isFinite(value) ? new Double(value) : beyondDouble;
    return isNumber(value) ? storeDouble(String(value)) : notNumber;
  },
  fromText(text) {
    const double = numberText.test(text) ? storeDouble(text) : notNumber;
    return double === beyondDouble ? notNumber : double;
  },
  fromDocument: (value) => (typeof value === 'number' && Number.isFinite(value) ? new Double(value) : notNumber),
  toDocument: (stored) => (typeof stored === 'bigint' || isDouble(stored) ? Number(stored) : stored),
  toJson: writeUntyped,
};

function parseDecimal(text: string): Decimal128 | Invalid {
  if (!numberText.test(text)) return notDecimal;
  const usual = encodeDecimal(text);
  if (usual) return usual;
  try {
    return Decimal128.fromString(text);
  } catch {
    return longDecimal;
  }
}

function readStoredDecimal(value: unknown): Decimal128 | Invalid {
  return isDecimal128(value) && isDecimalNumber(value) ? value : notDecimal;
}

function isNumber(value: unknown): value is number | bigint | JsonNumber {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof JsonNumber;
}

const isDigit = /^-?\d/;

// For the OpenAPI description. It does not count 34 digits: JSON Schema advises against the syntax that would be
// needed, which RE2 lacks.
const decimalPattern = '^[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?$';

/** A Decimal128. A JSON number is read by its digits, as a string is: both may use the whole range of a Decimal128. */
export const decimalLeaf: Leaf<Decimal128> = {
  name: 'decimal',
  readSchema: { type: 'string', format: 'decimal' },
  writeSchema: { type: ['string', 'number'], format: 'decimal', pattern: decimalPattern },
  textSchema: { type: 'string', format: 'decimal', pattern: decimalPattern },
  bsonTypes: integerBsonTypes,
  accepted: [{ bsonTypes: ['int', 'long', 'decimal'] }, { bsonTypes: ['double'] }],
  fromJson(value) {
    if (typeof value === 'string') return parseDecimal(value);
    if (!isNumber(value)) return notDecimal;
    const decimal = parseDecimal(String(value));
    return decimal === notDecimal && value instanceof JsonNumber ? longDecimal : decimal; // an exponent of many digits
  },
  fromText: parseDecimal,
  fromDocument(value) {
    if (isDecimal128(value)) return readStoredDecimal(value);
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? parseDecimal(String(value)) : notDecimal;
  },
  fromStored: readStoredDecimal, // the database does not compare a text with numbers
  toDocument: (stored) => (typeof stored === 'number' || typeof stored === 'bigint' ? Decimal128.fromString(String(stored)) : stored),
  toJson(stored) {
    const text = writeUntyped(stored);
    return isDigit.test(text) ? `"${text}"` : text;
  },
  writeBson: writeBsonDecimal,
};
