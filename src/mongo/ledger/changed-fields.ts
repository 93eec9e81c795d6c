import { once } from '../../mistakes.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { ObjectNode } from '../../model/node.ts';
import { compileHydrate } from '../../model/read/hydrate.ts';
import { withoutPrivate } from '../../model/read/private-fields.ts';
import { isObject, own } from '../../model/value/plain-object.ts';
import type { StoredRecord } from '../stored-record.ts';
import { compileDifferences } from './difference.ts';

/** A field that a write has changed. */
export interface ChangedField {
  /** Its dotted name. It has no steps for the items of arrays, nor for the keys of maps. */
  readonly path: string;
  /**
   * Its value before the write as in a document, without private members. Undefined if it had none, and if `isPrivate`.
   */
  readonly before: unknown;
  /** The same after the write. */
  readonly after: unknown;
  /** Whether only what is private has changed: the field itself, or something in it. Its values are left out. */
  readonly isPrivate: boolean;
}

interface Compared {
  differences(
    before: StoredRecord['stored'] | undefined,
    after: StoredRecord['stored'] | undefined,
  ): readonly { path: string; isPrivate: boolean }[];
  hydrate(stored: unknown): unknown;
}

const compiled = new WeakMap<ObjectNode, Compared>();

/**
 * The fields that differ between two states of a record, whoever may see them; undefined stands for no record. The id
 * and the revision are none of them. `updatedAt` is one after every write.
 */
export function changedFields(
  { whole: { root } }: CompiledModel,
  before: StoredRecord | undefined,
  after: StoredRecord | undefined,
): ChangedField[] {
  const { differences, hydrate } = compiled.get(root) ?? compile(root);
  const [old, now] = [before, after].map((record) => once(() => record && hydrate(record.stored)));
  return differences(before?.stored, after?.stored).map(({ path, isPrivate }) => ({
    path,
    before: isPrivate ? undefined : valueAt(old?.(), path),
    after: isPrivate ? undefined : valueAt(now?.(), path),
    isPrivate,
  }));
}

function compile(whole: ObjectNode): Compared {
  const made = { differences: compileDifferences(whole), hydrate: compileHydrate(withoutPrivate(whole), (misfit) => misfit) };
  compiled.set(whole, made);
  return made;
}

function valueAt(document: unknown, path: string): unknown {
  return path.split('.').reduce((value, name) => (isObject(value) ? own(value, name) : undefined), document);
}
