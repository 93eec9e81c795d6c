import fc from 'fast-check';
import { Decimal128, Double, Int32, Long, ObjectId } from 'mongodb';
import { anything } from './field-oracle.ts';
import type { Plain, PlainObject } from './random-model.ts';

/** As the driver is to store it: doubles as such, whatever their value. */
export function toBson(value: Plain): Plain {
  if (typeof value === 'number') return new Double(value);
  if (Array.isArray(value)) return value.map(toBson);
  if (Object.prototype.toString.call(value) !== '[object Object]' || '_bsontype' in (value as object)) return value;
  return Object.fromEntries(Object.entries(value as PlainObject).map(([key, member]) => [key, toBson(member)]));
}

/** A stored value as the driver reads it with `promoteValues: false`. */
export function fromBson(value: unknown): Plain {
  if (value instanceof Int32) return BigInt(value.value);
  if (value instanceof Long) return value.toBigInt();
  if (value instanceof Double) return value.value;
  if (value instanceof ObjectId) return value.toHexString();
  if (value === null || typeof value !== 'object' || value instanceof Date || value instanceof Decimal128) return value;
  if (Array.isArray(value)) return value.map(fromBson);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fromBson(member)]));
}

/** Throws where two plain values differ, and names the paths; {@link anything} equals all. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  const found = differences(actual, expected, '');
  if (found.length > 0) throw new Error(`${what}: ${found.join('; ')}`);
}

function differences(actual: unknown, expected: unknown, path: string): string[] {
  if (expected === anything) return [];
  if (isBranch(actual) && isBranch(expected) && Array.isArray(actual) === Array.isArray(expected)) {
    const keys = new Set([...Object.keys(actual), ...Object.keys(expected)]);
    return [...keys].flatMap((key) => differences(actual[key], expected[key], path === '' ? key : `${path}.${key}`));
  }
  return fc.stringify(actual) === fc.stringify(expected) ? [] : [`${path} is ${fc.stringify(actual)} instead of ${fc.stringify(expected)}`];
}

function isBranch(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !(value instanceof Date) && !(value instanceof Decimal128);
}
