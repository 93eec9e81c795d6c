import type { CompiledModel } from '../../../model/compile/compile-model.ts';
import type { CollectionChange } from '../../../mongo/changes/change.ts';
import { markPath } from '../../../mongo/lifecycle/lifecycle.ts';
import type { ListQuery } from '../../../mongo/list/parse-list-query.ts';
import { type Equality, equalitiesOf } from '../../../mongo/predicate/equality.ts';
import { pathsOf } from '../../../mongo/predicate/paths-of.ts';
import { all, type Condition, everyRecord, type Predicate } from '../../../mongo/predicate/predicate.ts';
import { isThrough } from '../../../mongo/through/through-field.ts';

/** The stored names of the fields on which the state of a list depends, without what is below them. */
export interface Concern {
  /** Those that decide which records it has, and in which order. Undefined if any may. */
  readonly deciding: ReadonlySet<string> | undefined;
  /** Those that it shows. Undefined if it shows all. */
  readonly shown: ReadonlySet<string> | undefined;
  /** What each of its records equals. */
  readonly equal: readonly Equality[];
}

/** By how many combinations of values a list is found: one that asks for more is found by fewer fields. */
const mostCombinations = 100;

/** The fields on which a list depends within a scope. */
export function concernOf(model: CompiledModel, query: ListQuery, scope: Predicate | undefined): Concern {
  const { conditions, through, filter, sort, fields, further, window } = query;
  const paths = [
    ...[...conditions, ...through].flatMap(({ field }) => pathsOfField(field)),
    ...sort.flatMap(({ field }) => pathsOfField(field)),
    ...[markPath(model) ?? []].flat(),
  ];
  const predicate = all(filter ?? everyRecord, scope ?? everyRecord);
  const within = pathsOf(predicate);
  return {
    deciding: further || window.mode === 'only' ? undefined : within && new Set([...paths, ...within].map(firstKey)),
    shown: fields && new Set(fields.paths.map(firstKey)),
    equal: equalitiesOf(conditions, predicate, mostCombinations),
  };
}

/**
 * Whether a change of one record may change the list that was read. `isShown` says whether it showed the record. What
 * is not certain counts as true: then the list is read again.
 */
export function mayChange({ deciding, shown }: Concern, { id, keys }: CollectionChange, isShown: (id: unknown) => boolean): boolean {
  if (keys === undefined || id === undefined || deciding === undefined || meets(keys, deciding)) return true;
  return isShown(id) && (shown === undefined || meets(keys, shown));
}

function meets(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const one of some) if (others.has(one)) return true;
  return false;
}

/** Of a field of a related record, the record itself has the reference. */
function pathsOfField(field: Condition['field']): string[] {
  if (isThrough(field)) return [field.steps[0].path];
  return field.caseless ? [field.path, field.caseless.exactPath] : [field.path];
}

function firstKey(path: string): string {
  return path.split('.', 1)[0] as string;
}
