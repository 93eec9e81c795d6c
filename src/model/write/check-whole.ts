import { absent, join, type ObjectNode } from '../node.ts';
import type { Access } from './access.ts';
import { compileCheck, ownFields } from './check.ts';
import { KeyMerge } from './key-merge.ts';
import type { Changes } from './plan-changes.ts';
import type { Report } from './report.ts';

/**
 * Compiles the check of a record whose changes leave nothing of what is stored: they set every field that the check
 * sees. Undefined if the model has no check.
 */
export function compileWholeCheck(root: ObjectNode, access?: Access): ((changes: Changes, report: Report) => void) | undefined {
  const runCheck = compileCheck(root, access);
  if (!runCheck) return undefined;
  const own = ownFields(root);
  return function checkWhole(changes, report) {
    const assigned = new Set(changes.assignments.flatMap(({ path, value }) => (value instanceof KeyMerge ? [] : path)));
    const merged = new Set(changes.embedded.map(({ path }) => path));
    if (isCovered(own, '', assigned, merged)) runCheck(assemble(changes), '', report);
  };
}

/** Whether changes set each field of an object, directly or key by key. `path` is that of its stored keys. */
function isCovered(node: ObjectNode, path: string, assigned: ReadonlySet<string>, merged: ReadonlySet<string>): boolean {
  return node.fields.every((field) => {
    const at = join(path, field.key);
    if (assigned.has(at)) return true;
    return field.node.kind === 'object' && merged.has(at) && isCovered(field.node, at, assigned, merged);
  });
}

/** The stored form of a record that consists of these changes only. */
function assemble({ assignments, embedded }: Changes): Record<string, unknown> {
  const stored: Record<string, unknown> = {};
  for (const { path } of embedded) place(stored, path.split('.'), {});
  for (const { path, value } of assignments) if (value !== absent) place(stored, path.split('.'), value);
  return stored;
}

/** Sets a member. The objects that hold it are there: outer ones come first. */
export function place(object: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) object[key] = value;
  else place(object[key] as Record<string, unknown>, rest, value);
}
