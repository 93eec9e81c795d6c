import { type IndexKey, mayShareIndex } from '../../model/compile/model-index.ts';
import { nameAt, queriedPath } from '../../model/fold/fold-paths.ts';
import type { FieldEntry, FieldTable } from '../../model/node.ts';
import { type OperatorDef, operatorDef } from '../../model/operators/operators.ts';
import { asPredicate, type Conjunct, comparisonsOf, conjunctsOf } from '../predicate/conjuncts-of.ts';
import { pathOf } from '../predicate/filter-of.ts';
import { type Comparison, type Joined, joined, type Predicate } from '../predicate/predicate.ts';

/** The filter and sort of a list without their values: everything that an index depends on. */
export interface ListShape {
  /**
   * The query of the list, including its scope, in the form of a query string:
   * `owner=…, total[gte]=…, sort=-createdAt`.
   */
  readonly text: string;
  /** The paths that are compared with single values. */
  readonly equal: readonly string[];
  /** The paths that are compared with bounds or a prefix. */
  readonly ranged: readonly string[];
  readonly sort: ReadonlyMap<string, 1 | -1>;
  /** Whether it shows living records only, which an index without deleted records serves. */
  readonly isOfLiving: boolean;
}

/**
 * Reads the shape of a list from what its records fulfil and its sort. What hides deleted records is no part of it.
 * Undefined if it has opaque parts, or if nothing matches.
 */
export function readShape(where: Predicate, sort: ReadonlyMap<string, 1 | -1>, table: FieldTable): ListShape | undefined {
  const parts = conjunctsOf(where);
  const asked = parts.filter((part) => !hidesDeleted(part));
  if (asked.some((part) => part.kind === 'opaque')) return undefined;
  const comparisons = asked.flatMap((part) => served(part));
  if (comparisons.some(({ operator, value }) => operator === 'in' && (value as unknown[]).length === 0)) return undefined;
  const pathsOf = (shape: OperatorDef['shape']): string[] => {
    const some = comparisons.filter(({ operator }) => operatorDef(operator).shape === shape);
    return [...new Set(some.map(({ path }) => path))];
  };
  const equal = pathsOf('equal');
  const nameOf = (path: string) => nameAt(path, table) ?? path;
  const words = comparisons.map(({ path, operator }) => `${nameOf(path)}${operator === 'eq' ? '' : `[${operator}]`}=…`);
  const order = [...sort].map(([path, direction]) => `${direction === -1 ? '-' : ''}${nameOf(path)}`);
  const text = [...new Set(words)]
    .sort()
    .concat(`sort=${order.join(',')}`)
    .join(', ');
  const ranged = pathsOf('range').filter((path) => !equal.includes(path));
  return { text, equal, ranged, sort, isOfLiving: asked.length < parts.length };
}

function hidesDeleted(part: Conjunct): boolean {
  return part.kind === 'own' && part.is.hidesDeleted === true;
}

/** A comparison with the value at a path of the record. */
interface Served extends Pick<Comparison, 'operator' | 'value'> {
  readonly path: string;
}

/** What an index may serve of a part: neither negations, nor alternatives within alternatives. */
function served(part: Conjunct): Served[] {
  if (part.kind === 'item')
    return conjunctsOf(part.of)
      .flatMap(served)
      .map((one) => ({ ...one, path: one.path === '' ? part.path : `${part.path}.${one.path}` }));
  return comparisonsOf(part).map((one) => ({ path: pathOf(one), operator: one.operator, value: one.value }));
}

/**
 * The alternatives of what records fulfil: one for each branch of an `or`, beside all that stands next to it. The
 * database needs an index for each of them. Of several `or`s, the first is divided.
 */
export function alternativesOf(where: Predicate): readonly Predicate[] {
  const parts = conjunctsOf(where);
  const divided = parts.find(hasAlternatives);
  if (!divided) return [where];
  const others = parts.filter((part) => part !== divided).map(asPredicate);
  return divided.of.map((branch) => joined('and', [...others, branch]));
}

function hasAlternatives(part: Conjunct): part is Joined<Predicate> {
  return part.kind === 'or';
}

/** The paths that are compared with single values, whatever stands beside. */
export function equalPathsOf(where: Predicate): ReadonlySet<string> {
  const equal = conjunctsOf(where)
    .flatMap(served)
    .filter(({ operator }) => operatorDef(operator).shape === 'equal');
  return new Set(equal.map(({ path }) => path));
}

/**
 * Suggests indexes that would serve a list, the best first. With an equality there is one: the equal paths, then the
 * keys of the sort, then the paths with bounds. One part of this index has the records in the order of the list.
 * Without an equality, the database uses bounds only of an index that begins with them: such an index comes first, and
 * one with the keys of the sort second.
 *
 * Suggests none if there is nothing to narrow or to sort by, or only fields with `index: false`.
 */
export function suggestIndexes({ equal, ranged, sort }: ListShape, table: FieldTable): IndexKey[] {
  const byPath = new Map([...table.values()].flatMap((entry) => [entry.path, queriedPath(entry)].map((path) => [path, entry])));
  if (equal.includes('_id') || ranged.includes('_id')) return [];
  const sorted = [...sort].filter(([path]) => !equal.includes(path));
  const mayOrder = sorted.every(([path]) => byPath.get(path)?.field.index);
  const [, sign = 1] = sorted[0] ?? [];
  const order: IndexKey = mayOrder ? sorted.map(([path, direction]) => [path, direction * sign]) : [['_id', 1]];
  const first = toKey(equal, byPath);
  if (first.length > 0) return [[...first, ...order, ...toKey(isById(order) ? [] : ranged, byPath, [...equal, ...sort.keys()])]];
  const [bounds] = toKey(ranged, byPath);
  const narrowed: IndexKey[] = bounds && bounds[0] !== order[0]?.[0] ? [[bounds, ['_id', 1]]] : [];
  return [...narrowed, ...(isById(order) ? [] : [order])];
}

function isById(order: IndexKey): boolean {
  return order[0]?.[0] === '_id';
}

/** The part of a key for those of the paths that can share one index with the paths in `taken`. */
function toKey(paths: readonly string[], byPath: ReadonlyMap<string, FieldEntry>, taken: readonly string[] = []): IndexKey {
  const chosen = taken.flatMap((path) => byPath.get(path) ?? []);
  return paths.flatMap((path): IndexKey => {
    const entry = byPath.get(path);
    if (!entry?.field.index || chosen.includes(entry) || !chosen.every((one) => mayShareIndex(one, entry))) return [];
    chosen.push(entry);
    return [[path, 1]];
  });
}
