import { absent } from '../../model/node.ts';
import type { Changes, EmbeddedMerge } from '../../model/write/plan-changes.ts';
import type { Condition } from './filter.ts';
import { isWithin } from './within-scope.ts';

/** Those conditions of a scope that a new record would not fulfil. */
export function brokenBy(stored: unknown, conditions: readonly Condition[]): Condition[] {
  return conditions.filter((condition) => !isWithin(condition, stored));
}

/**
 * Those conditions of a scope that a record would not fulfil after these changes, by what they set: a path that they leave alone keeps its
 * value, of which the scope in the filter of the write knows. Of objects that they may have to create it is {@link creationsWithin} that tells.
 */
export function brokenByChanges(changes: Changes, conditions: readonly Condition[]): Condition[] {
  return conditions.filter((condition) => {
    const { path } = condition.field;
    const set = changes.assignments.find((assignment) => isAtOrAbove(assignment.path, path));
    if (set) return !isWithin(condition, nest(set.path, set.value));
    // Keys are written into the object that the condition is about: whatever it holds, it is an object then.
    return changes.embedded.some((merge) => merge.path === path) && !isWithin(condition, nest(path, {}));
  });
}

/**
 * The same changes, but those that may create an embedded object with a default outside of the scope: they require the object to be there, as
 * if the body did not suffice to create it. `refuse` says what a client is told of the conditions where it is not.
 */
export function creationsWithin(
  changes: Changes,
  conditions: readonly Condition[],
  refuse: (merge: EmbeddedMerge, broken: readonly Condition[]) => EmbeddedMerge['refused'],
): Changes {
  let areSame = true;
  const embedded = changes.embedded.map((merge) => {
    if (merge.whole === undefined) return merge;
    const created = nest(merge.path, merge.whole);
    const broken = conditions.filter((condition) => isLeftToDefault(changes, merge, condition) && !isWithin(condition, created));
    if (broken.length === 0) return merge;
    areSame = false;
    return { ...merge, whole: undefined, refused: refuse(merge, broken) };
  });
  return areSame ? changes : { ...changes, embedded };
}

function isLeftToDefault({ assignments, embedded }: Changes, merge: EmbeddedMerge, { field: { path } }: Condition): boolean {
  const isWritten = assignments.some((one) => isAtOrAbove(one.path, path)) || embedded.some((one) => one.path === path);
  return !isWritten && isAtOrAbove(merge.path, path);
}

function isAtOrAbove(outer: string, path: string): boolean {
  return `${path}.`.startsWith(`${outer}.`);
}

/** A record that has nothing but this value at this path. */
function nest(path: string, value: unknown): unknown {
  return path.split('.').reduceRight<unknown>((inner, key) => (inner === absent ? {} : { [key]: inner }), value);
}
