import { Binary, type CreateIndexesOptions, type IndexDescription, ObjectId } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { type DeclaredIndex, type IndexKey, mayShareIndex } from '../../model/compile/model-index.ts';
import type { QueryField } from '../../model/compile/query-fields.ts';
import type { Operator } from '../../model/define/policy.ts';
import type { FieldEntry } from '../../model/node.ts';

/** Options of an index, as the driver's `createIndex` takes them. */
export type IndexOptions = CreateIndexesOptions & Omit<IndexDescription, 'key'>;

/** An index that an api needs, and what for. */
export interface PlannedIndex {
  /** Its paths in their order: what the driver's `createIndex` takes. */
  readonly key: IndexKey;
  readonly options: IndexOptions;
  /** What needs it, such as `orders: sort by createdAt`. */
  readonly reasons: readonly string[];
}

/** A model whose indexes are planned, and the list that a resource serves of it. */
export interface IndexSource {
  readonly model: CompiledModel;
  readonly list?: { readonly resource: string; readonly scopeFields: readonly string[] };
}

/** An index that a list needs. */
interface Wanted extends PlannedIndex {
  /** The field of a filter that asks for single values only, and never for null: every unique index of it will do. */
  readonly point?: { readonly path: string; readonly equal: ReadonlySet<string> };
}

/**
 * The indexes of one collection. What models declare; and for each list, with its scope's fields in front, one for each field that it
 * filters or sorts by, and one for the scope alone. All of them end with the id, as every sort of a list does, so that an equality of the
 * field is followed by the list's order, and a sort by the field is the index's own, read from either end.
 *
 * It is one for each field, not for each combination of a filter and a sort, whose number has no bound: those are declared where they count.
 */
export function deriveIndexes(sources: readonly IndexSource[]): PlannedIndex[] {
  const declared = sources.flatMap(({ model }) => model.indexes.map((index) => toPlanned(index, model)));
  const planned = merge(declared);
  const wanted = sources.flatMap((source) => wantedByList(source));
  for (const { point, ...index } of wanted) {
    const unique = point && planned.find((one) => isUniqueFor(one, point));
    if (unique) addReasons(planned, unique, index.reasons);
    else planned.push(index);
  }
  return dropPrefixes(merge(planned));
}

function toPlanned({ key, unique, lackable, options }: DeclaredIndex, { name, fieldTable }: CompiledModel): PlannedIndex {
  if (options) return { key, options, reasons: [`${name}: declared`] };
  const names = new Map([...fieldTable.values()].map((one) => [one.path, one.name]));
  const reason = unique ? `unique ${key.map(([path]) => names.get(path)).join(', ')}` : 'declared';
  return { key, options: unique ? { unique, ...onlyWith(lackable) } : {}, reasons: [`${name}: ${reason}`] };
}

/**
 * Leaves records out of an index that lack one of these values, or have null there. A bound below every value of the type says so, and not
 * `$type`: with it the planner still knows that an equality of the field finds its records in the index.
 */
function onlyWith(fields: readonly FieldEntry[]): IndexOptions {
  if (fields.length === 0) return {};
  return { partialFilterExpression: Object.fromEntries(fields.map(({ path, leaf }) => [path, { $gte: lowestOf(leaf?.bsonTypes[0]) }])) };
}

function lowestOf(bsonType: string | undefined): unknown {
  switch (bsonType) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'date':
      return new Date(-8.64e15);
    case 'objectId':
      return ObjectId.createFromHexString('0'.repeat(24));
    case 'binData':
      return new Binary(Buffer.alloc(0));
    default:
      return Number.NEGATIVE_INFINITY;
  }
}

/** Operators that an index finds the records of. Negations and `exists` are true for most, which it does not help. */
const narrowing: readonly Operator[] = ['eq', 'in', 'gt', 'gte', 'lt', 'lte', 'prefix'];
const pointing: readonly Operator[] = ['eq', 'in'];

function wantedByList({ model, list }: IndexSource): Wanted[] {
  if (!list) return [];
  const scope = list.scopeFields.map((name) => model.fieldTable.get(name) as FieldEntry);
  const scopePaths = scope.map(({ path }) => path);
  if (scopePaths.includes('_id')) return []; // the database's own index of the id leaves one record
  const ofScope: Wanted[] = scope.length > 0 ? [{ key: toKey(scope), options: {}, reasons: [`${list.resource}: its scope`] }] : [];
  const ofFields = [...model.clientFields.values()].flatMap((field): Wanted[] => {
    const indexed = model.fieldTable.get(field.name) as FieldEntry;
    const use = usesOf(field);
    if (!use || !indexed.field.index || field.path === '_id' || scopePaths.includes(field.path)) return [];
    const prefix = scope.filter((one) => mayShareIndex(one, indexed));
    const index = { key: toKey([...prefix, indexed]), options: {}, reasons: [`${list.resource}: ${use} by ${field.name}`] };
    return [isPoint(field) ? { ...index, point: { path: field.path, equal: new Set([...scopePaths, field.path]) } } : index];
  });
  return [...ofScope, ...ofFields];
}

function toKey(fields: readonly FieldEntry[]): IndexKey {
  return [...fields.map(({ path }) => [path, 1] as const), ['_id', 1]];
}

function usesOf({ leaf, operators, sortable }: QueryField): string | undefined {
  const filters = leaf !== undefined && narrowing.some((operator) => operators.has(operator));
  if (filters) return sortable ? 'filter and sort' : 'filter';
  return sortable ? 'sort' : undefined;
}

function isPoint({ leaf, nullable, operators, sortable }: QueryField): boolean {
  const mayAskNull = nullable && leaf?.name !== 'string';
  return !sortable && !mayAskNull && narrowing.every((operator) => !operators.has(operator) || pointing.includes(operator));
}

/** Whether all fields of a unique index are equal to something: then at most one record is left, in any order. */
function isUniqueFor({ key, options }: PlannedIndex, { path, equal }: NonNullable<Wanted['point']>): boolean {
  return options.unique === true && key.every(([one]) => equal.has(one)) && key.some(([one]) => one === path);
}

function addReasons(planned: PlannedIndex[], index: PlannedIndex, reasons: readonly string[]): void {
  planned[planned.indexOf(index)] = { ...index, reasons: [...new Set([...index.reasons, ...reasons])] };
}

function merge(indexes: readonly PlannedIndex[]): PlannedIndex[] {
  const merged: PlannedIndex[] = [];
  for (const index of indexes) {
    const same = merged.find((one) => isSameKey(one.key, index.key) && isEqual(one.options, index.options));
    if (same) addReasons(merged, same, index.reasons);
    else merged.push(index);
  }
  return merged;
}

/** A plain index is not needed where another begins with its keys: two trees would say the same. */
function dropPrefixes(planned: readonly PlannedIndex[]): PlannedIndex[] {
  const kept = [...planned];
  for (const { key, options, reasons } of planned) {
    const index = kept.findIndex((one) => one.key === key && one.options === options);
    const longer = kept.find((one, at) => at !== index && isPlain(options) && holdsEveryRecord(one.options) && isPrefix(key, one.key));
    if (!longer) continue;
    addReasons(kept, longer, reasons);
    kept.splice(index, 1);
  }
  return kept;
}

function isPlain(options: IndexOptions): boolean {
  return Object.keys(options).length === 0;
}

/** Whether an index with these options has every record in it, in the order of plain comparison. */
export function holdsEveryRecord({ partialFilterExpression, sparse, hidden, collation }: IndexOptions): boolean {
  return !(partialFilterExpression || sparse || hidden || collation);
}

/** Whether an index of `longer` serves whatever one of `key` does: it begins with it, or is read from its other end. */
export function isPrefix(key: IndexKey, longer: IndexKey): boolean {
  const isAlong = (sign: 1 | -1): boolean =>
    key.every(([path, direction], at) => {
      const [otherPath, otherDirection] = longer[at] ?? [];
      const wanted = sign === -1 && typeof direction === 'number' ? -direction : direction;
      return path === otherPath && wanted === otherDirection;
    });
  return key.length <= longer.length && (isAlong(1) || (isAlong(-1) && key.every(([, direction]) => typeof direction === 'number')));
}

/** Whether two indexes are of the same paths in the same order, read from either end. */
export function isSameKey(a: IndexKey, b: IndexKey): boolean {
  return a.length === b.length && isPrefix(a, b);
}

/** Whether two options say the same, in whatever order. */
export function isEqual(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => {
    if (typeof one === 'number' && !Number.isFinite(one)) return String(one);
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one;
    return Object.fromEntries(Object.entries(one).sort(([first], [second]) => (first < second ? -1 : 1)));
  });
}
