import { type IndexKey, mayShareIndex } from '../../model/compile/model-index.ts';
import { nameAt, queriedPath } from '../../model/fold/fold-paths.ts';
import type { FieldEntry, FieldTable } from '../../model/node.ts';
import type { Filter } from '../query/filter.ts';

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

const equalities: readonly string[] = ['$eq', '$in'];
const ranges: readonly string[] = ['$gt', '$gte', '$lt', '$lte', '$regex'];

/**
 * Reads the shape of a list from its filter and sort. `live` is the filter that hides deleted records: it is no part of
 * the shape. Undefined if the filter has unknown parts, or matches nothing.
 */
export function readShape(filter: Filter, sort: ReadonlyMap<string, 1 | -1>, table: FieldTable, live: Filter = {}): ListShape | undefined {
  const all = conditionsOf(filter);
  const conditions = all?.filter(({ path, operator, value }) => !(Object.hasOwn(live, path) && operator === '$eq' && value === null));
  const isOfLiving = all?.length !== conditions?.length;
  if (!conditions || conditions.some(({ operator, value }) => operator === '$in' && (value as unknown[]).length === 0)) return undefined;
  const pathsOf = (operators: readonly string[]): string[] => {
    const paths = conditions.filter(({ operator }) => operators.includes(operator)).map(({ path }) => path);
    return [...new Set(paths)];
  };
  const equal = pathsOf(equalities);
  const nameOf = (path: string) => nameAt(path, table) ?? path;
  const asked = conditions.map(({ path, operator }) => `${nameOf(path)}${operator === '$eq' ? '' : `[${operatorName(operator)}]`}=…`);
  const order = [...sort].map(([path, direction]) => `${direction === -1 ? '-' : ''}${nameOf(path)}`);
  const text = [...new Set(asked)]
    .sort()
    .concat(`sort=${order.join(',')}`)
    .join(', ');
  return { text, equal, ranged: pathsOf(ranges).filter((path) => !equal.includes(path)), sort, isOfLiving };
}

interface PathCondition {
  readonly path: string;
  readonly operator: string;
  readonly value: unknown;
}

/**
 * The conditions of a filter, all of which must match. Undefined for a filter in another form, which the application's
 * own middleware may set.
 */
function conditionsOf(filter: Filter): PathCondition[] | undefined {
  const all: PathCondition[] = [];
  for (const [path, value] of Object.entries(filter)) {
    const within = path === '$and' ? (value as Filter[]).map(conditionsOf) : [conditionsAt(path, value)];
    for (const some of within) {
      if (!some) return undefined;
      all.push(...some);
    }
  }
  return all;
}

/**
 * The alternatives of a filter: one for each branch of an `$or`, beside all that stands next to it. The database needs
 * an index for each of them. Of several `$or`s, the first is divided.
 */
export function alternativesOf(filter: Filter): readonly Filter[] {
  const parts = conjunctsOf(filter);
  const divided = parts.find((part) => '$or' in part);
  if (!divided) return [filter];
  const others = parts.filter((part) => part !== divided);
  return (divided.$or as readonly Filter[]).map((branch) => ({ $and: [...others, branch] }));
}

/** The parts of a filter, all of which must match. */
export function conjunctsOf(filter: Filter): Filter[] {
  return Object.entries(filter).flatMap(([key, value]) => (key === '$and' ? (value as Filter[]).flatMap(conjunctsOf) : [{ [key]: value }]));
}

/** What an index cannot narrow: negations, and alternatives within alternatives. */
const unserved: readonly string[] = ['$nor', '$or'];

function conditionsAt(path: string, value: unknown): PathCondition[] | undefined {
  if (unserved.includes(path)) return [];
  if (path.startsWith('$')) return undefined;
  const isOperators = typeof value === 'object' && value !== null && Object.keys(value).some((key) => key.startsWith('$'));
  if (!isOperators) return [{ path, operator: '$eq', value }];
  return Object.entries(value).flatMap(([operator, operand]): PathCondition[] =>
    operator === '$elemMatch' ? within(path, operand) : [{ path, operator, value: operand }],
  );
}

/** The paths that one of these conjuncts compares with single values, whatever stands beside it. */
export function equalPathsOf(conjuncts: readonly Filter[]): ReadonlySet<string> {
  const conditions = conjuncts.flatMap((one) => Object.entries(one).flatMap(([path, value]) => conditionsAt(path, value) ?? []));
  return new Set(conditions.filter(({ operator }) => equalities.includes(operator)).map(({ path }) => path));
}

/** What an item of an array must fulfil, by the paths in the record. */
function within(path: string, item: Filter): PathCondition[] {
  return (conditionsOf(item) ?? []).map((condition) => ({ ...condition, path: `${path}.${condition.path}` }));
}

function operatorName(operator: string): string {
  return operator === '$regex' ? 'prefix' : operator.slice(1);
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
