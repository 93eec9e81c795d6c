import { Binary, BSON } from 'mongodb';
import { type CompiledField, computedBefore, type Node, type ObjectNode } from '../node.ts';
import { bson, declined, documentEnd, keyEnd, valueEnd } from '../value/bson-bytes.ts';
import { isStoredObject, mapEntries } from '../value/stored-shape.ts';
import { readableComputed } from './computed-fields.ts';
import { keepMembers } from './members.ts';
import { holdsPrivate, readableFields } from './private-fields.ts';
import type { Selection } from './write-json.ts';

type Stored = Readonly<Record<string, unknown>>;

/**
 * Whether the records that are read for clients have something that they are not shown: what a computed field is made
 * of, and private members in maps, which no projection can name.
 */
export function readsHidden(node: Node): boolean {
  return someShown(node, (one) => isMadeOfHidden(one) || (one.kind === 'map' && holdsPrivate(one.values.node)));
}

/** Whether a computed field that clients read is made of something that they do not. */
export function computesFromHidden(node: Node): boolean {
  return someShown(node, isMadeOfHidden);
}

/** Whether something is true of a value, or of one that clients read in it, at any depth. */
function someShown(node: Node, isTrue: (node: Node) => boolean): boolean {
  if (isTrue(node)) return true;
  switch (node.kind) {
    case 'leaf':
      return false;
    case 'array':
      return someShown(node.items.node, isTrue);
    case 'map':
      return someShown(node.values.node, isTrue);
    case 'object':
      return readableFields(node).some((field) => someShown(field.node, isTrue));
  }
}

function isMadeOfHidden(node: Node): boolean {
  return node.kind === 'object' && readableComputed(node).some(({ from }) => from.some(({ name }) => isHidden(node.byName.get(name))));
}

function isHidden(field: CompiledField | undefined): boolean {
  return field === undefined || field.policy.private === true || holdsPrivate(field.node);
}

/** The size of what clients may read of a record, in bytes of its BSON. */
export type SizeShown = (source: Uint8Array) => number;

/** Compiles the measure of a model's records. It walks through the bytes, and decodes nothing. */
export function compileSizeShown(root: ObjectNode): SizeShown {
  const ofRecord = compileSize(root);
  return function sizeShown(source) {
    try {
      return ofRecord(source, bson.object, 0, source.length);
    } catch (error) {
      if (error !== declined) throw error;
      const shown = keepMembers(root, BSON.deserialize(source), isReadable); // rare types
      return BSON.calculateObjectSize(shown as object);
    }
  };
}

function isReadable({ policy }: CompiledField): boolean {
  return !policy.private;
}

type Size = (source: Uint8Array, type: number, start: number, end: number) => number;

const whole: Size = (_source, _type, start, end) => end - start;

function compileSize(node: Node): Size {
  switch (node.kind) {
    case 'leaf':
      return whole;
    case 'array':
      return ofMembers(bson.array, holdsPrivate(node), compileItems(node.items.node));
    case 'map':
      return ofMembers(bson.object, holdsPrivate(node), compileItems(node.values.node));
    case 'object': {
      const sizes = new Map(readableFields(node).map((field) => [field.key, compileSize(field.node)]));
      return ofMembers(bson.object, holdsPrivate(node), (key) => sizes.get(key));
    }
  }
}

function compileItems(node: Node): (key: string) => Size {
  const size = compileSize(node);
  return () => size;
}

/**
 * Measures the members of a document or an array that have a size: others are not shown. What has another type is shown
 * if nothing is private.
 */
function ofMembers(expected: number, hasPrivate: boolean, sizeOf: (key: string) => Size | undefined): Size {
  return function sizeOfMembers(source, type, start, end) {
    if (type !== expected) return hasPrivate ? 0 : end - start;
    let size = emptyDocument;
    const last = documentEnd(source, start, end) - 1;
    for (let at = start + 4; at < last; ) {
      const element = source[at] as number;
      const nul = keyEnd(source, at + 1, last);
      const next = valueEnd(source, element, nul + 1, last);
      const measure = sizeOf(keyOf(source, at + 1, nul));
      if (measure) size += nul + 1 - at + measure(source, element, nul + 1, next);
      at = next;
    }
    return size;
  };
}

const emptyDocument = 5;

function keyOf(source: Uint8Array, start: number, end: number): string {
  return Buffer.from(source.buffer, source.byteOffset + start, end - start).toString();
}

/**
 * A copy of a record without what the view hides, which still shows all that it did: what is computed is computed now,
 * as far as the client has chosen it. What the service maintains stays.
 */
export function withoutHidden(node: ObjectNode, stored: unknown, selection?: Selection): Stored {
  return strip(node, stored, selection) as Stored;
}

function strip(node: Node, value: unknown, selection: Selection | undefined): unknown {
  switch (node.kind) {
    case 'leaf':
      return detach(value);
    case 'array':
      return Array.isArray(value) ? value.map((item) => strip(node.items.node, item, selection)) : value;
    case 'map': {
      const members = mapEntries(value);
      return members ? Object.fromEntries(Array.from(members, ([key, one]) => [key, strip(node.values.node, one, undefined)])) : value;
    }
    case 'object':
      return isStoredObject(value) ? stripObject(node, value, selection) : value;
  }
}

/** The bytes of a decoded value lie in those of the reply, which would stay with them. */
function detach(value: unknown): unknown {
  if (value instanceof Binary) value.buffer = Buffer.from(value.buffer);
  return value;
}

function stripObject(node: ObjectNode, stored: Stored, selection: Selection | undefined): Stored {
  const left: Record<PropertyKey, unknown> = { ...stored };
  for (const { name, key, policy, maintained, node: member } of node.fields) {
    if (!Object.hasOwn(left, key)) continue;
    if (policy.private && !maintained) delete left[key];
    else left[key] = strip(member, left[key], within(selection, name));
  }
  const computed = readableComputed(node).filter(({ field }) => !selection || selection.has(field.name));
  if (computed.length > 0) left[computedBefore] = new Map(computed.map((one) => [one.field.name, tryCompute(one, stored)]));
  return left as Stored;
}

function within(selection: Selection | undefined, name: string): Selection | undefined {
  const choice = selection?.get(name);
  return typeof choice === 'object' ? choice : undefined;
}

/** An error is one of whoever shows the field. */
function tryCompute(one: { compute(stored: Stored): unknown }, stored: Stored): () => unknown {
  try {
    const value = one.compute(stored);
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
