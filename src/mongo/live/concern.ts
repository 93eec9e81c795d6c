import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { ListQuery } from '../list/parse-list-query.ts';
import type { Condition, Filter } from '../query/filter.ts';
import type { Expression } from '../relations/through/expression.ts';
import { isThrough } from '../relations/through/through-field.ts';
import type { Change } from './change.ts';

/** The stored names of the fields on which the state of a list depends, without what is below them. */
export interface Concern {
  /** Those that decide which records it has, and in which order. Undefined if any may. */
  readonly deciding: ReadonlySet<string> | undefined;
  /** Those that it shows. Undefined if it shows all. */
  readonly shown: ReadonlySet<string> | undefined;
}

/** The fields on which a list depends within a scope. */
export function concernOf({ deletedAt }: CompiledModel, query: ListQuery, scope: Filter | undefined): Concern {
  const { conditions, through, filter, sort, fields, search, window } = query;
  const paths = [
    ...[...conditions, ...through].flatMap(pathsOfCondition),
    ...(filter ? pathsOfExpression(filter) : []),
    ...sort.flatMap(({ field }) => pathsOfField(field)),
    ...(deletedAt ? [deletedAt.key] : []),
  ];
  const ofScope = pathsOfFilter(scope ?? {});
  return {
    deciding: search || window.mode === 'only' ? undefined : ofScope && new Set([...paths, ...ofScope].map(firstKey)),
    shown: fields && new Set(fields.paths.map(firstKey)),
  };
}

/**
 * Whether a change of one record may change the list that was read. `isShown` says whether it showed the record. What
 * is not certain counts as true: then the list is read again.
 */
export function mayChange({ deciding, shown }: Concern, { id, keys }: Change, isShown: (id: unknown) => boolean): boolean {
  if (keys === undefined || id === undefined || deciding === undefined || meets(keys, deciding)) return true;
  return isShown(id) && (shown === undefined || meets(keys, shown));
}

function meets(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const one of some) if (others.has(one)) return true;
  return false;
}

function pathsOfCondition({ field }: Condition): string[] {
  return pathsOfField(field);
}

/** Of a field of a related record, the record itself has the reference. */
function pathsOfField(field: Condition['field']): string[] {
  if (isThrough(field)) return [field.steps[0].path];
  return field.caseless ? [field.path, field.caseless.exactPath] : [field.path];
}

function pathsOfExpression(expression: Expression): string[] {
  switch (expression.kind) {
    case 'condition':
      return pathsOfCondition(expression.condition);
    case 'not':
      return pathsOfExpression(expression.of);
    case 'item':
      return [expression.path]; // what is compared lies below it
    case 'related':
      return [expression.step.path];
    default:
      return expression.of.flatMap(pathsOfExpression);
  }
}

/** Undefined for a filter with another operator around fields than `$and`, `$or` and `$nor`. */
function pathsOfFilter(filter: Filter): string[] | undefined {
  const paths: string[] = [];
  for (const [key, value] of Object.entries(filter)) {
    if (!key.startsWith('$')) paths.push(key);
    else if (['$and', '$or', '$nor'].includes(key)) {
      for (const part of value as readonly Filter[]) {
        const own = pathsOfFilter(part);
        if (!own) return undefined;
        paths.push(...own);
      }
    } else return undefined;
  }
  return paths;
}

function firstKey(path: string): string {
  return path.split('.', 1)[0] as string;
}
