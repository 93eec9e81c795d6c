import { type Decimal128, Double } from 'mongodb';
import { isPlainJson } from '../../http/json.ts';
import { JsonNumber, underflows } from '../../http/json-number.ts';
import { Invalid } from '../../rules.ts';
import { type BsonValue, isBinary, isBsonValue, isUuid } from './bson-type.ts';
import { copyValue } from './copy-value.ts';
import { formatDecimal } from './decimal-text.ts';
import { mapEntries } from './stored-shape.ts';

/** The error of a value that has a key which BSON cannot store. */
export const unstorableKey = new Invalid('illegal_key', 'must not have a key with a NUL character or a lone surrogate');

const illFormed = new Invalid('unicode', 'must be well-formed Unicode: it holds a lone surrogate');
const beyondInt64 = new Invalid('out_of_range', 'must not hold an integer of more than 64 bits', {
  minimum: -(2n ** 63n),
  maximum: 2n ** 63n - 1n,
});
const beyondDouble = new Invalid('out_of_range', 'must not hold a number beyond the range of a double');
const tooSmall = new Invalid('underflow', 'must not hold a number other than zero that a double would hold as zero');
const unstorable = new Invalid('not_storable', 'must be a value that BSON can store');

/**
 * Converts a client's JSON to the stored value of an untyped field. What is stored as it came is not copied. Objects
 * with a key that means something to the driver or to JavaScript become Maps, which the driver writes key by key:
 * `__proto__`, `_bsontype` and `toBSON` are stored as keys like any other, and `{"$oid": …}` stays plain data.
 */
export function readUntyped(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? value : illFormed;
    case 'number':
      return storeNumber(value);
    case 'bigint':
      return BigInt.asIntN(64, value) === value ? value : beyondInt64;
    case 'object':
      if (value === null) return null;
      if (Array.isArray(value)) return readJsonArray(value);
      if (Object.getPrototypeOf(value) === Object.prototype) return readJsonObject(value as Record<string, unknown>);
      return value instanceof JsonNumber ? storeDouble(value.text) : readMembers(value, readUntyped);
    default:
      return value;
  }
}

function readJsonArray(values: readonly unknown[]): unknown {
  let stored: unknown[] | undefined;
  for (const [at, value] of values.entries()) {
    const one = readUntyped(value);
    if (one instanceof Invalid) return one;
    if (one !== value) stored ??= values.slice();
    if (stored) stored[at] = one;
  }
  return stored ?? values;
}

function readJsonObject(value: Readonly<Record<string, unknown>>): unknown {
  const keys = Object.keys(value);
  if (keys.length > mostKeys || keys.some((key) => hasMeaning.has(key) || value[key] === undefined))
    return readEntries(Object.entries(value), readUntyped);
  let stored: Record<string, unknown> | undefined;
  for (const key of keys) {
    if (!isStorableKey(key)) return unstorableKey;
    const member = value[key];
    const one = readUntyped(member);
    if (one instanceof Invalid) return one;
    if (one !== member) {
      stored ??= { ...value };
      stored[key] = one;
    }
  }
  return stored ?? value;
}

/** V8 keeps an object of more keys as a hash table, which is slower to read and write than a Map. */
const mostKeys = 128;

/** Keys that mean something to the driver or to JavaScript in an object of plain data. */
const hasMeaning: ReadonlySet<string> = new Set(['__proto__', '_bsontype', 'toBSON', 'toJSON']);

/**
 * Converts a value from the application's own code to the stored value of an untyped field. BSON values stay as they
 * are. Dates, bytes, arrays and plain objects are copied, so that the record shares nothing with the caller. Functions,
 * symbols and `undefined` are refused, because BSON would drop them silently, and an invalid date, which it would store
 * as 1970. Undefined members are left out.
 */
export function checkUntyped(value: unknown): unknown {
  switch (typeof value) {
    case 'undefined':
    case 'function':
    case 'symbol':
      return unstorable;
    case 'object':
      if (value instanceof JsonNumber) return readUntyped(value); // from a body that was parsed without a schema
      if (value instanceof Date && Number.isNaN(value.getTime())) return unstorable;
      return isData(value) ? copyValue(value) : readMembers(value, checkUntyped);
    default:
      return typeof value === 'number' ? value : readUntyped(value);
  }
}

const isData = (value: unknown): boolean => value instanceof Date || isBinary(value) || value instanceof Uint8Array;

function readMembers(value: object | null, read: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return readItems(value, read);
  const members = value !== null && 'toBSON' in value && typeof value.toBSON === 'function' ? undefined : mapEntries(value);
  return members ? readEntries(members, read) : value;
}

function readItems(values: readonly unknown[], read: (value: unknown) => unknown): unknown {
  const stored: unknown[] = [];
  for (const value of values) {
    const one = read(value);
    if (one instanceof Invalid) return one;
    stored.push(one);
  }
  return stored;
}

function readEntries(entries: Iterable<[unknown, unknown]>, read: (value: unknown) => unknown): unknown {
  const stored = new Map<string, unknown>();
  for (const [key, member] of entries) {
    if (member === undefined) continue;
    if (typeof key !== 'string' || !isStorableKey(key)) return unstorableKey;
    const one = read(member);
    if (one instanceof Invalid) return one;
    stored.set(key, one);
  }
  return stored;
}

/** Whether BSON can store this key. BSON ends keys with NUL, and writes them as UTF-8. */
export function isStorableKey(key: string): boolean {
  return !key.includes('\0') && key.isWellFormed();
}

function storeNumber(value: number): unknown {
  if (!Number.isSafeInteger(value) || Object.is(value, -0)) return value;
  return value >= -(2 ** 31) && value < 2 ** 31 ? value : BigInt(value);
}

function storeDouble(text: string): Double | Invalid {
  if (underflows(text)) return tooSmall;
  const value = Number(text);
  return Number.isFinite(value) ? new Double(value) : beyondDouble;
}

/** Writes the JSON text of any value of a document. */
export function writeUntyped(value: unknown): string {
  return isPlainJson(value) ? JSON.stringify(value) : writeAny(value);
}

function writeAny(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null';
    case 'bigint':
      return String(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      return value === null ? 'null' : writeObject(value);
    default:
      return 'null';
  }
}

function writeObject(value: object): string {
  if (isBsonValue(value)) return writeBson(value);
  if (Array.isArray(value)) return `[${value.map(writeAny).join(',')}]`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'null' : `"${value.toISOString()}"`;
  if (value instanceof Map) return writeMembers(value.entries());
  if (value instanceof Uint8Array) return `"${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}"`;
  if (value instanceof JsonNumber) return value.text;
  if (value instanceof RegExp) return JSON.stringify(value.source);
  return writeMembers(Object.entries(value));
}

function writeMembers(members: Iterable<[string, unknown]>): string {
  let text = '';
  for (const [key, member] of members) {
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${writeAny(member)}`;
  }
  return `{${text}}`;
}

function formatUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function writeBson(value: BsonValue): string {
  switch (value._bsontype) {
    case 'ObjectId':
      return `"${value.toString()}"`;
    case 'Decimal128':
      return `"${formatDecimal(value as Decimal128)}"`;
    case 'Binary':
      return `"${isUuid(value) ? formatUuid(value.toString('hex')) : value.toString('base64')}"`;
    case 'Double':
    case 'Int32':
      return writeAny(value.value);
    case 'Long':
      return value.toString();
    case 'Timestamp':
      return `"${new Date(value.getHighBitsUnsigned() * 1000).toISOString()}"`;
    case 'BSONRegExp':
      return JSON.stringify(value.pattern);
    case 'BSONSymbol':
      return JSON.stringify(value.value);
    case 'Code':
      return JSON.stringify(value.code);
    case 'DBRef':
      // The driver reads every object with `$ref` and `$id` as a DBRef. It was stored as plain data, and is served as
      // such.
      return writeMembers(Object.entries(value.toJSON()));
    default:
      return 'null';
  }
}
