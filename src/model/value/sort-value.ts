import { Binary, Decimal128, Double, Int32, type Long, ObjectId } from 'mongodb';
import { bson, documentEnd, keyEnd, oneOf, readInt64, valueEnd } from './bson-bytes.ts';
import { isBinary, isDecimal128, isDouble, isInt32, isLong, isObjectId } from './bson-type.ts';

/**
 * A group of types whose values the database compares with each other. Values of two groups are ordered by group.
 * Missing counts as null.
 */
export type Bracket = 'null' | (typeof brackets)[number];

/** The brackets after null, in MongoDB's order ("Comparison/Sort Order" in its manual). */
export const brackets = ['number', 'string', 'binData', 'objectId', 'bool', 'date'] as const;

interface Kind {
  /** The first character of every text of this type. */
  readonly tag: string;
  readonly bracket: Bracket;
  is(value: unknown): boolean;
  write(value: unknown): string;
  read(text: string): unknown;
}

function kind<Value>(
  tag: string,
  bracket: Bracket,
  is: (value: unknown) => value is Value,
  write: (value: Value) => string,
  read: (text: string) => Value,
): Kind {
  return { tag, bracket, is, write: write as Kind['write'], read };
}

const isNull = (value: unknown): value is null => value === null; // the database has a type of its own for undefined
const isFloat = (value: unknown): value is number | Double => typeof value === 'number' || isDouble(value);
const isDate = (value: unknown): value is Date => value instanceof Date && !Number.isNaN(value.getTime());
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isInt64 = (value: unknown): value is bigint | Long => typeof value === 'bigint' || isLong(value);

/**
 * The types of single values that a list can be sorted by, by their `$type` names, and their texts in a cursor. The
 * driver reads both int and double as a number, which has the same order. For an invalid text, `read` throws, or
 * returns a value that `write` would write differently.
 */
const kinds: ReadonlyMap<string, Kind> = new Map([
  [
    'null',
    kind(
      'n',
      'null',
      isNull,
      () => '',
      () => null,
    ),
  ],
  ['bool', kind('b', 'bool', isBoolean, String, (text) => text === 'true')],
  ['int', kind('i', 'number', isInt32, String, (text) => new Int32(text))],
  ['long', kind('l', 'number', isInt64, String, (text) => BigInt.asIntN(64, BigInt(text)))],
  ['double', kind('f', 'number', isFloat, writeDouble, (text) => new Double(Number(text)))],
  ['decimal', kind('m', 'number', isDecimal128, String, (text) => Decimal128.fromString(text))],
  ['string', kind('s', 'string', (value) => typeof value === 'string', String, readString)],
  [
    'date',
    kind(
      'd',
      'date',
      isDate,
      (date) => String(date.getTime()),
      (text) => new Date(Number(text)),
    ),
  ],
  ['objectId', kind('o', 'objectId', isObjectId, writeObjectId, (text) => new ObjectId(bytesOf(text)))],
  ['binData', kind('x', 'binData', isBinary, writeBinary, readBinary)],
]);

const byTag = new Map([...kinds.values()].map((one) => [one.tag, one]));

/**
 * The `$type` name of a single value. Undefined for values that a list cannot be sorted by: arrays, objects, regular
 * expressions, …
 */
export function bsonTypeOf(value: unknown): string | undefined {
  for (const [name, { is }] of kinds) if (is(value)) return name;
  return undefined;
}

/** The bracket of a single value. Undefined for the same values as in {@link bsonTypeOf}. */
export function bracketOf(value: unknown): Bracket | undefined {
  return kinds.get(bsonTypeOf(value) ?? '')?.bracket;
}

const singles = new Set<number>([
  bson.double,
  bson.string,
  bson.binary,
  bson.objectId,
  bson.boolean,
  bson.null,
  bson.int32,
  bson.int64,
  bson.decimal128,
]);
const mostTime = 8_640_000_000_000_000;

/**
 * Whether {@link bracketOf} knows the values of the members at these keys, once they are decoded. A date must be within
 * the range of JavaScript.
 */
export function areSingle(source: Uint8Array, keys: readonly string[]): boolean {
  const last = documentEnd(source, 0, source.length) - 1;
  for (let at = 4; at < last; ) {
    const type = source[at] as number;
    const keyStart = at + 1;
    const nul = keyEnd(source, keyStart, last);
    at = valueEnd(source, type, nul + 1, last);
    if (singles.has(type) || oneOf(source, keyStart, nul, keys) === undefined) continue;
    if (type !== bson.date || Math.abs(readInt64(source, nul + 1)) > mostTime) return false;
  }
  return true;
}

/** Whether a value is NaN of any numeric type. In the database NaN equals itself and comes before all other numbers. */
export function isNaNValue(value: unknown): boolean {
  return Number.isNaN(isDouble(value) ? value.value : value) || (isDecimal128(value) && value.toString() === 'NaN');
}

/** Writes a single value and its type as text. Throws for any other value. */
export function writeSortValue(value: unknown): string {
  const { tag, write } = kinds.get(bsonTypeOf(value) ?? '') as Kind;
  return tag + write(value);
}

/**
 * Reads a text of {@link writeSortValue}. For an invalid text it throws, or returns a value that would be written
 * differently.
 */
export function readSortValue(text: string): unknown {
  const { read } = byTag.get(text.slice(0, 1)) as Kind;
  return read(text.slice(1));
}

function writeDouble(value: number | Double): string {
  const number = Number(value);
  return Object.is(number, -0) ? '-0' : String(number);
}

function readString(text: string): string {
  if (!text.isWellFormed()) throw new Error('BSON has no lone surrogates');
  return text;
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64');

function writeObjectId({ id }: ObjectId): string {
  return Buffer.from(id).toString('base64');
}

function writeBinary(value: Binary): string {
  return value.sub_type.toString(16).padStart(2, '0') + Buffer.from(value.value()).toString('base64');
}

function readBinary(text: string): Binary {
  return new Binary(bytesOf(text.slice(2)), Number.parseInt(text.slice(0, 2), 16));
}
