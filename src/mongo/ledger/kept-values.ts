import { createHash } from 'node:crypto';
import { BSON } from 'mongodb';
import { type CompiledField, join, type Node, type ObjectNode } from '../../model/node.ts';
import { keepMembers, readableMembers } from '../../model/read/members.ts';
import { bsonSize, mostPerUnit, roughSize } from '../../model/value/bson-size.ts';
import { isStoredObject, mapEntries } from '../../model/value/stored-shape.ts';

/** A side of a change. */
export type ChangeSide = 'before' | 'after';

/**
 * What an entry keeps of the values of a field. A value of which something is too large has a digest, and `beforeParts`
 * and `afterParts` name the members that are kept of it: each has a bound of its own, so that what one caller is shown
 * does not depend on what only others are.
 */
export interface KeptValues {
  readonly before?: unknown;
  readonly after?: unknown;
  readonly beforeDigest?: string;
  readonly afterDigest?: string;
  readonly beforeParts?: readonly string[];
  readonly afterParts?: readonly string[];
}

/** How many bytes an entry keeps of a field or of a member: of one value, and of those before and after a change. */
export interface Bounds {
  readonly ofValue: number;
  readonly ofBoth: number;
}

const mostOfValue = 64 * 1024;
const mostOfEntry = 8 * 1024 * 1024;

/** The bounds for the records of a model: all fields together never have more than 8 MiB. */
export function compileBounds(whole: ObjectNode): Bounds {
  const ofBoth = Math.floor(mostOfEntry / countFields(whole));
  return { ofValue: Math.min(mostOfValue, ofBoth), ofBoth };
}

function countFields(node: Node): number {
  if (node.kind === 'array') return countFields(node.items.node);
  if (node.kind === 'map') return countFields(node.values.node);
  return node.kind === 'object' ? node.fields.reduce((sum, field) => sum + 1 + countFields(field.node), 0) : 0;
}

/**
 * Keeps the values of a field before and after a change. The one before it has its room first: earlier states are made
 * of it.
 */
export function keepValues(field: CompiledField, before: unknown, after: unknown, { ofValue, ofBoth }: Bounds): KeptValues {
  if (areSmall(before, after, Math.min(ofValue, ofBoth))) return keepWhole(before, after);
  const [old, now] = [sizeOf(before), sizeOf(after)];
  if (old <= ofValue && now <= ofValue && old + now <= ofBoth) return keepWhole(before, after);
  const was = keepParts(field, 'before', before, () => ofValue);
  const is = keepParts(field, 'after', after, (name) => Math.min(ofValue, ofBoth - (was.sizes.get(name) ?? 0)));
  return { ...was.kept, ...is.kept };
}

/** Whether two values are so small that their bytes need not be counted. */
function areSmall(before: unknown, after: unknown, most: number): boolean {
  return 2 * documentAround + mostPerUnit * (roughSize(before) + roughSize(after)) <= most;
}

function keepWhole(before: unknown, after: unknown): KeptValues {
  if (before === undefined) return after === undefined ? {} : { after };
  return after === undefined ? { before } : { before, after };
}

interface Parts {
  readonly kept: KeptValues;
  /** How many bytes of each part are kept. */
  readonly sizes: Sizes;
}

/** Bytes by the names of members: those of a member itself, without its own members. The value itself is ''. */
type Sizes = Map<string, number>;

function keepParts({ node }: CompiledField, side: ChangeSide, value: unknown, most: (name: string) => number): Parts {
  if (value === undefined) return { kept: {}, sizes: new Map() };
  const sizes: Sizes = new Map();
  measure(node, value, sizeOf(undefined), '', sizes);
  const undeclared = sizeOf(value) - sum(sizes.values());
  const isSmall = (name: string) => (sizes.get(name) ?? 0) <= most(name);
  const members = ['', ...readableMembers(node)];
  const own = (sizes.get('') as number) + undeclared;
  if (members.every(isSmall) && own <= most('')) return { kept: { [side]: value }, sizes: sizes.set('', own) };
  const parts = members.filter((name) => stepsTo(name).every(isSmall));
  const left = new Set(parts);
  for (const name of sizes.keys()) if (!left.has(name)) sizes.delete(name);
  return {
    kept: {
      ...(left.has('') && { [side]: keepMembers(node, value, (_field, name) => left.has(name)), [`${side}Parts`]: parts.slice(1) }),
      [`${side}Digest`]: digestOf(keepMembers(node, value, ({ policy }) => !policy.private)),
    },
    sizes,
  };
}

/** A member and all that it is in: `''`, `place`, `place.city`. */
function stepsTo(name: string): string[] {
  if (name === '') return [''];
  const keys = name.split('.');
  return ['', ...keys.map((_key, index) => keys.slice(0, index + 1).join('.'))];
}

/**
 * Measures what is declared of a value. `around` are the bytes of its key and its type, or of the document around it.
 */
function measure(node: Node, value: unknown, around: number, at: string, sizes: Sizes): void {
  const add = (bytes: number) => sizes.set(at, (sizes.get(at) ?? 0) + around + bytes);
  if (node.kind === 'array' && Array.isArray(value)) {
    add(emptyDocument);
    for (const [index, item] of value.entries()) measure(node.items.node, item, bytesOfKey(String(index)), at, sizes);
    return;
  }
  const members = node.kind === 'map' ? mapEntries(value) : undefined;
  if (node.kind === 'map' && members) {
    add(emptyDocument);
    for (const [key, one] of members) measure(node.values.node, one, bytesOfKey(key), at, sizes);
    return;
  }
  if (node.kind !== 'object' || !isStoredObject(value)) {
    add(sizeOf(value) - sizeOf(undefined));
    return;
  }
  add(emptyDocument);
  for (const { name, key, node: member } of node.fields)
    if (Object.hasOwn(value, key)) measure(member, value[key], bytesOfKey(key), join(at, name), sizes);
}

const emptyDocument = 5;

/** The type of an element, its key and the NUL behind it. */
function bytesOfKey(key: string): number {
  return 2 + Buffer.byteLength(key);
}

/** The size of a stored value as BSON, in bytes. */
function sizeOf(value: unknown): number {
  return value === undefined ? documentAround : bsonSize({ value });
}

/** The bytes of a document around one value. */
const documentAround = emptyDocument + bytesOfKey('value');

function sum(numbers: Iterable<number>): number {
  let all = 0;
  for (const one of numbers) all += one;
  return all;
}

/** Says whether two values were the same, of which none is kept. */
function digestOf(value: unknown): string {
  return `sha-256:${createHash('sha256').update(BSON.serialize({ value })).digest('hex')}`;
}

/** Whether an entry has the value of a side as callers see it who read these members of it. */
export function isKept(values: KeptValues, side: ChangeSide, members: readonly string[]): boolean {
  const parts = values[`${side}Parts`];
  if (parts === undefined) return values[`${side}Digest`] === undefined;
  return members.every((name) => parts.includes(name));
}
