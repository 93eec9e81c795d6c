import { isBinary, isDouble, isInt32, isLong, isObjectId } from '../../model/value/bson-type.ts';
import { isStoredObject } from '../../model/value/stored-shape.ts';
import { comparisonsOf, conjunctsOf } from './conjuncts-of.ts';
import { operandOf, pathOf } from './filter-of.ts';
import type { Comparison, Predicate } from './predicate.ts';

/** One of the values that a record must have at a path, as {@link keyOf} writes them. */
export interface Equality {
  readonly path: string;
  readonly keys: readonly string[];
}

/**
 * What a record must equal to fulfil all of these: alternatives, negations and bounds say nothing about it. A part of
 * them may be left out, so that there are at most `most` combinations of values.
 */
export function equalitiesOf(conditions: readonly Comparison[], predicate: Predicate | undefined, most: number): Equality[] {
  const byPath = new Map<string, Equality>();
  for (const comparison of [...conditions, ...conjunctsOf(predicate).flatMap(comparisonsOf)]) {
    const one = equalityOf(comparison);
    const known = one && byPath.get(one.path);
    if (one && !(known && known.keys.length <= one.keys.length)) byPath.set(one.path, one);
  }
  const found: Equality[] = [];
  let combinations = 1;
  for (const one of [...byPath.values()].sort((a, b) => a.keys.length - b.keys.length)) {
    combinations *= one.keys.length;
    if (combinations > most) break;
    found.push(one);
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function equalityOf(comparison: Comparison): Equality | undefined {
  const { operator } = comparison;
  if (operator !== 'eq' && operator !== 'in') return undefined;
  const path = pathOf(comparison);
  if (/(?:^|\.)\d/.test(path)) return undefined; // the database may take it for a place in an array
  const operand = operandOf(comparison);
  const keys = (operator === 'eq' ? [operand] : (operand as readonly unknown[])).map(keyOf);
  return keys.some((key) => key === undefined) ? undefined : { path, keys: [...new Set(keys as string[])].sort() };
}

/**
 * A text for a single value: if the database calls two values equal, and both have a text, it is the same one. Strings
 * are compared byte by byte. Undefined for values of which this process does not know what they equal.
 */
export function keyOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'undefined':
      return nothing;
    case 'string':
      return `s${value}`;
    case 'boolean':
      return `b${value}`;
    case 'number':
    case 'bigint':
      return isExact(value) ? `f${Number(value) + 0}` : undefined; // there is no other zero
    default:
      return keyOfObject(value);
  }
}

/** Stands for null and for what is missing. */
const nothing = 'n';

function isExact(value: number | bigint): boolean {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
}

function keyOfObject(value: unknown): string | undefined {
  if (value === null) return nothing;
  if (value instanceof Date) return `d${value.getTime()}`;
  if (isObjectId(value)) return `o${value.toHexString()}`;
  if (isInt32(value) || isDouble(value)) return keyOf(value.value);
  if (isLong(value)) return keyOf(value.toBigInt());
  if (isBinary(value)) return `x${value.sub_type}:${Buffer.from(value.value()).toString('base64')}`;
  return undefined;
}

/**
 * The keys of all values that a record may be found by at a path: of an array, of each of its items. Undefined if one
 * of them has none.
 */
export function keysAt(stored: unknown, path: string): ReadonlySet<string> | undefined {
  const found = new Set<string>();
  return collect(stored, path.split('.'), 0, found) ? found : undefined;
}

function collect(value: unknown, keys: readonly string[], at: number, found: Set<string>): boolean {
  const key = keys[at];
  if (Array.isArray(value)) {
    found.add(nothing); // versions of the database differ in whether an empty one counts as null on the way
    return value.every((item) => (key === undefined ? add(found, Array.isArray(item) ? null : item) : collectIn(item, keys, at, found)));
  }
  if (key === undefined) return add(found, value);
  if (isStoredObject(value)) return Object.hasOwn(value, key) ? collect(value[key], keys, at + 1, found) : add(found, null);
  return !isOther(value) && add(found, null);
}

function collectIn(item: unknown, keys: readonly string[], at: number, found: Set<string>): boolean {
  return isStoredObject(item) ? collect(item, keys, at, found) : !isOther(item);
}

/** Whether it is an object that the driver has made something else of: a `DBRef` has the keys that were stored. */
function isOther(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function add(found: Set<string>, value: unknown): boolean {
  const key = keyOf(value);
  if (key !== undefined) found.add(key);
  return key !== undefined;
}
