import { BSON } from 'mongodb';
import type { CompiledField, Node, ObjectNode } from '../../model/node.ts';
import { join } from '../../model/node.ts';
import { holdsPrivate } from '../../model/read/private-fields.ts';
import { own } from '../../model/value/plain-object.ts';
import { isSameValue } from '../../model/value/same-value.ts';
import { isStoredObject, mapEntries } from '../../model/value/stored-shape.ts';

type Stored = Readonly<Record<string, unknown>>;

/** A field whose value a write has changed. */
export interface Difference {
  /** Its dotted name in the model. It has no steps for the items of arrays, nor for the keys of maps. */
  readonly path: string;
  /**
   * Its stored value before the write, without private members. Undefined if there was none, and for a private field.
   */
  readonly before: unknown;
  /** The same after the write. */
  readonly after: unknown;
  /** Whether only what is private has changed: the field itself, or something in it. */
  readonly isPrivate: boolean;
}

/** Finds the fields that differ between two states of a record; undefined stands for no record. */
export type FindDifferences = (before: Stored | undefined, after: Stored | undefined) => Difference[];

/**
 * Compiles the comparison of two states of a record: objects by their members, arrays, maps and all other values as a
 * whole. The id and the revision are no differences: they say which states are compared.
 */
export function compileDifferences(root: ObjectNode): FindDifferences {
  const { id: _id, ...compared } = Object.fromEntries(root.fields.map((field) => [field.name, field]));
  const fields = Object.values(compared).filter((field) => field.maintained !== 'revision');
  return (before, after) => compareMembers(fields, before, after, '');
}

function compareMembers(fields: readonly CompiledField[], before: Stored = {}, after: Stored = {}, path: string): Difference[] {
  return fields.flatMap((field) => {
    const [old, now] = [own(before, field.key), own(after, field.key)];
    return isSameValue(old, now) ? [] : compareValues(field, old, now, join(path, field.name));
  });
}

function compareValues({ node, policy }: CompiledField, old: unknown, now: unknown, path: string): Difference[] {
  if (policy.private) return [{ path, before: undefined, after: undefined, isPrivate: true }];
  if (node.kind === 'object' && isStoredObject(old) && isStoredObject(now)) return compareMembers(node.fields, old, now, path);
  if (!holdsPrivate(node)) return [{ path, before: old, after: now, isPrivate: false }];
  const [before, after] = [withoutPrivate(node, old), withoutPrivate(node, now)];
  const isPrivate = isSameValue(before, after);
  return [isPrivate ? { path, before: undefined, after: undefined, isPrivate } : { path, before, after, isPrivate }];
}

/** A copy of a stored value without its private members, at any depth. */
function withoutPrivate(node: Node, value: unknown): unknown {
  if (node.kind === 'array') return Array.isArray(value) ? value.map((item) => withoutPrivate(node.items.node, item)) : value;
  if (node.kind === 'map') {
    const members = mapEntries(value);
    return members ? Object.fromEntries(Array.from(members, ([key, one]) => [key, withoutPrivate(node.values.node, one)])) : value;
  }
  if (node.kind !== 'object' || !isStoredObject(value)) return value;
  const kept = node.fields.filter((field) => !field.policy.private && Object.hasOwn(value, field.key));
  return Object.fromEntries(kept.map((field) => [field.key, withoutPrivate(field.node, value[field.key])]));
}

/** The size of a stored value as BSON, in bytes. */
export function sizeOf(value: unknown): number {
  return BSON.calculateObjectSize({ value }, { ignoreUndefined: true });
}
