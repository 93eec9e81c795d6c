import { absent } from '../../model/node.ts';
import { KeyMerge } from '../../model/write/key-merge.ts';
import type { Changes, EmbeddedMerge } from '../../model/write/plan-changes.ts';
import { isWithin } from '../predicate/is-within.ts';
import type { Condition } from '../predicate/predicate.ts';
import { mergeKeys } from './merge-keys.ts';

/** The conditions of a scope that a new record would not match. */
export function brokenBy(stored: unknown, conditions: readonly Condition[]): Condition[] {
  return conditions.filter((condition) => !isWithin(condition, stored));
}

/**
 * The conditions of a scope that a record would not match after these changes. Only paths that the changes set are
 * checked: the scope in the filter of the write covers the others. {@link creationsWithin} checks the objects that the
 * changes may create.
 */
export function brokenByChanges(changes: Changes, conditions: readonly Condition[]): Condition[] {
  return conditions.filter((condition) => {
    const { path } = condition.field;
    const set = changes.assignments.find((assignment) => isAtOrAbove(assignment.path, path));
    if (set) {
      const value = set.value instanceof KeyMerge ? valueUnder(set.value, path.slice(set.path.length + 1)) : set.value;
      return value !== undefined && !isWithin(condition, nest(set.path, value));
    }
    // The changes write keys into the object of the condition: whatever its keys are, it will be an object.
    return changes.embedded.some((merge) => merge.path === path) && !isWithin(condition, nest(path, {}));
  });
}

/**
 * The same changes, without creating embedded objects and maps that would have a default outside the scope. Such an
 * object must already exist, as if the body did not suffice to create it. `refuse` makes the errors for the client if
 * the object does not exist.
 */
export function creationsWithin(
  changes: Changes,
  conditions: readonly Condition[],
  refuse: (merge: Pick<EmbeddedMerge, 'path'>, broken: readonly Condition[]) => EmbeddedMerge['refused'],
): Changes {
  let areSame = true;
  const embedded = changes.embedded.map((merge) => {
    const { path, whole } = merge;
    if (whole === undefined) return merge;
    const broken = conditions.filter((one) => isLeftToDefault(changes, merge, one) && !isWithin(one, nest(path, whole)));
    if (broken.length === 0) return merge;
    areSame = false;
    return { ...merge, whole: undefined, refused: refuse(merge, broken) };
  });
  const assignments = changes.assignments.map((assignment) => {
    const { path, value } = assignment;
    if (!(value instanceof KeyMerge) || value.unset === undefined) return assignment;
    const created = nest(path, mergeKeys(value, undefined));
    const broken = conditions.filter(({ field, ...rest }) => isAtOrAbove(path, field.path) && !isWithin({ field, ...rest }, created));
    if (broken.length === 0) return assignment;
    areSame = false;
    return { path, value: new KeyMerge({ ...value, whole: undefined, unset: undefined, refused: refuse({ path }, broken) }) };
  });
  return areSame ? changes : { ...changes, assignments, embedded };
}

/** What a merge writes into a map, for a condition about it or about a key of it. Undefined if it leaves that key. */
function valueUnder({ keys }: KeyMerge, key: string): unknown {
  if (key === '') return {};
  const value = keys.get(key);
  return value === absent ? {} : value === undefined ? undefined : { [key]: value };
}

function isLeftToDefault({ assignments, embedded }: Changes, merge: EmbeddedMerge, { field: { path } }: Condition): boolean {
  const isWritten = assignments.some((one) => isAtOrAbove(one.path, path)) || embedded.some((one) => one.path === path);
  return !isWritten && isAtOrAbove(merge.path, path);
}

function isAtOrAbove(outer: string, path: string): boolean {
  return path.startsWith(outer) && (path.length === outer.length || path[outer.length] === '.');
}

/** A record with only this value at this path. */
function nest(path: string, value: unknown): unknown {
  return path.split('.').reduceRight<unknown>((inner, key) => (inner === absent ? {} : { [key]: inner }), value);
}
