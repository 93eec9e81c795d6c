import type { CompiledField, ObjectNode } from '../../model/node.ts';
import { join } from '../../model/node.ts';
import { keepMembers } from '../../model/read/members.ts';
import { holdsPrivate } from '../../model/read/private-fields.ts';
import { own } from '../../model/value/plain-object.ts';
import { isSameValue } from '../../model/value/same-value.ts';
import { isStoredObject } from '../../model/value/stored-shape.ts';

type Stored = Readonly<Record<string, unknown>>;

/** A field whose value a write has changed. */
export interface Difference {
  /** Its dotted name in the model. It has no steps for the items of arrays, nor for the keys of maps. */
  readonly path: string;
  readonly field: CompiledField;
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

const nothing: Stored = {};

function compareMembers(fields: readonly CompiledField[], before = nothing, after = nothing, path: string): Difference[] {
  const found: Difference[] = [];
  for (const field of fields) {
    const [old, now] = [own(before, field.key), own(after, field.key)];
    if (!isSameValue(old, now)) found.push(...compareValues(field, old, now, join(path, field.name)));
  }
  return found;
}

function compareValues(field: CompiledField, old: unknown, now: unknown, path: string): Difference[] {
  const { node, policy } = field;
  if (policy.private) return [{ path, field, before: undefined, after: undefined, isPrivate: true }];
  if (node.kind === 'object' && isStoredObject(old) && isStoredObject(now)) return compareMembers(node.fields, old, now, path);
  if (!holdsPrivate(node)) return [{ path, field, before: old, after: now, isPrivate: false }];
  const [before, after] = [old, now].map((value) => keepMembers(node, value, (member) => !member.policy.private));
  const isPrivate = isSameValue(before, after);
  return [isPrivate ? { path, field, before: undefined, after: undefined, isPrivate } : { path, field, before, after, isPrivate }];
}
