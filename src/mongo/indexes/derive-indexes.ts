import { Binary, type CreateIndexesOptions, type IndexDescription, ObjectId } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { type DeclaredIndex, type IndexKey, mayShareIndex } from '../../model/compile/model-index.ts';
import type { QueryField } from '../../model/compile/query-fields.ts';
import type { Operator } from '../../model/define/policy.ts';
import type { FieldEntry } from '../../model/node.ts';

/** The options of an index, as the driver's `createIndex` takes them. */
export type IndexOptions = CreateIndexesOptions & Omit<IndexDescription, 'key'>;

/** An index that an api needs, with the reasons. */
export interface PlannedIndex {
  /** The key of the index, as the driver's `createIndex` takes it. */
  readonly key: IndexKey;
  readonly options: IndexOptions;
  /** The declarations and lists that need the index, such as `orders: sort by createdAt`. */
  readonly reasons: readonly string[];
}

/** A model whose indexes are planned, the list of a resource that serves it, and the relations that lead to its records by `t.hasMany`. */
export interface IndexSource {
  readonly model: CompiledModel;
  readonly list?: { readonly resource: string; readonly scopeFields: readonly string[] };
  /** The reads of records that refer to others. */
  readonly reverse?: readonly ReverseRead[];
  /** The fields by which queries for lists of other models find its records, or by which a list finds related records. */
  readonly related?: readonly RelatedUse[];
}

/** A read of the records that refer to another one, in their order. */
interface ReverseRead {
  readonly reason: string;
  /** The fields that the scope of the records compares with a value. */
  readonly scopeFields: readonly string[];
  /** The stored path of the reference. */
  readonly path: string;
  /** The paths of the sort, which ends with the id. */
  readonly sort: ReadonlyMap<string, 1 | -1>;
}

/** A field that filters through relations use. */
export interface RelatedUse {
  /** The name of the field in the model. */
  readonly field: string;
  readonly scopeFields: readonly string[];
  /** Whether it is compared with ids. */
  readonly isReference: boolean;
  readonly reason: string;
}

/** An index that a list needs. */
interface Wanted extends PlannedIndex {
  /** Set if the filter of the field asks only for single values, and never for null: then every unique index of the field suffices. */
  readonly point?: { readonly path: string; readonly equal: ReadonlySet<string> };
}

/**
 * Derives the indexes of one collection: those that models declare, and those that lists need. A list needs one index for each field that
 * it filters or sorts by, and one for its scope. Each begins with the fields of the scope and ends with the id, as every sort of a list
 * does. So the records of a filter for one value are in the list's own order, and a sort reads the index in its order, from either end.
 *
 * There is one index for each field, and not for each combination of a filter and a sort: their number would have no bound. An application
 * declares the combinations that matter.
 */
export function deriveIndexes(sources: readonly IndexSource[]): PlannedIndex[] {
  const declared = sources.flatMap(({ model }) => model.indexes.map((index) => toPlanned(index, model)));
  const planned = merge(declared);
  const wanted = sources.flatMap((source): Wanted[] => [
    ...wantedByList(source),
    ...wantedByRelated(source),
    ...wantedByRelations(source),
    ...wantedByDeletes(source),
  ]);
  for (const { point, ...index } of wanted) {
    const unique = point && planned.find((one) => isUniqueFor(one, point));
    if (unique) addReasons(planned, unique, index.reasons);
    else planned.push(index);
  }
  return dropPrefixes(merge(planned));
}

function toPlanned({ key, unique, partialOn, options }: DeclaredIndex, { name, fieldTable }: CompiledModel): PlannedIndex {
  if (options) return { key, options, reasons: [`${name}: declared`] };
  const names = new Map([...fieldTable.values()].map((one) => [one.path, one.name]));
  const reason = unique ? `unique ${key.map(([path]) => names.get(path)).join(', ')}` : 'declared';
  return { key, options: unique ? { unique, ...onlyWith(partialOn) } : {}, reasons: [`${name}: ${reason}`] };
}

/**
 * Leaves records out of an index that have no value, or null, in one of these fields. The filter is a bound below all values of the type,
 * and not `$type`: with a bound, the query planner knows that the index has all records for an equality of the field.
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

/** Operators that an index helps with. It does not help with negations and `exists`, because most records match them. */
const narrowing: readonly Operator[] = ['eq', 'in', 'gt', 'gte', 'lt', 'lte', 'prefix'];
const pointing: readonly Operator[] = ['eq', 'in'];

function wantedByList({ model, list }: IndexSource): Wanted[] {
  if (!list) return [];
  const scope = list.scopeFields.map((name) => model.fieldTable.get(name) as FieldEntry);
  const scopePaths = scope.map(({ path }) => path);
  if (scopePaths.includes('_id')) return []; // the database's own index of the id suffices
  const ofScope: Wanted[] = scope.length > 0 ? [{ key: toKey(scope), options: {}, reasons: [`${list.resource}: its scope`] }] : [];
  const ofFields = [...model.clientFields.values()].flatMap((field): Wanted[] => {
    const indexed = model.fieldTable.get(field.name) as FieldEntry;
    const use = usesOf(field);
    if (!use || !indexed.field.index || field.path === '_id' || scopePaths.includes(field.path)) return [];
    return [wantedFor(indexed, scope, isPoint(field), `${list.resource}: ${use} by ${field.name}`)];
  });
  return [...ofScope, ...ofFields];
}

/**
 * The records that refer to one record, in their order, are one part of an index of the scope, the reference and the sort: no more of them is
 * read than is shown.
 */
function wantedByRelations({ model, reverse = [] }: IndexSource): Wanted[] {
  const byPath = new Map([...model.fieldTable.values()].map((entry) => [entry.path, entry]));
  return reverse.flatMap(({ reason, scopeFields, path, sort }): Wanted[] => {
    const entry = byPath.get(path) as FieldEntry;
    const scope = scopeFields.map((name) => model.fieldTable.get(name) as FieldEntry).filter((one) => mayShareIndex(one, entry));
    if (!entry.field.index || scope.some((one) => one.path === '_id')) return [];
    const equal = [...new Set([...scope.map((one) => one.path), path])];
    const order = [...sort].filter(([one]) => !equal.includes(one));
    return [{ key: [...equal.map((one) => [one, 1] as const), ...order], options: {}, reasons: [reason] }];
  });
}

/** A delete finds the records that refer to the deleted one. */
function wantedByDeletes({ model }: IndexSource): Wanted[] {
  const held = model.references.filter(({ ref, path }) => ref.onDelete && path !== '_id');
  return held.map(({ path, name, ref }) => ({
    key: [
      [path, 1],
      ['_id', 1],
    ],
    options: {},
    reasons: [`${model.name}: a delete of ${ref.model} looks for ${name}`],
  }));
}

function wantedByRelated({ model, related = [] }: IndexSource): Wanted[] {
  return related.flatMap(({ field: name, scopeFields, isReference, reason }) => {
    const scope = scopeFields.map((one) => model.fieldTable.get(one) as FieldEntry);
    const scopePaths = scope.map(({ path }) => path);
    const indexed = model.fieldTable.get(name) as FieldEntry;
    const field = model.clientFields.get(name) as QueryField;
    const isServed = [indexed.path, ...scopePaths].includes('_id') || scopePaths.includes(indexed.path);
    if (isServed || !indexed.field.index || !(isReference || isNarrowing(field))) return [];
    return [wantedFor(indexed, scope, isReference || isPoint(field), reason)];
  });
}

/** The index for a field of a list, or of a query for related records. */
function wantedFor(indexed: FieldEntry, scope: readonly FieldEntry[], isPoint: boolean, reason: string): Wanted {
  const prefix = scope.filter((one) => mayShareIndex(one, indexed));
  const index = { key: toKey([...prefix, indexed]), options: {}, reasons: [reason] };
  return isPoint ? { ...index, point: { path: indexed.path, equal: new Set([...scope.map(({ path }) => path), indexed.path]) } } : index;
}

function toKey(fields: readonly FieldEntry[]): IndexKey {
  return [...fields.map(({ path }) => [path, 1] as const), ['_id', 1]];
}

function usesOf(field: QueryField): string | undefined {
  if (isNarrowing(field)) return field.sortable ? 'filter and sort' : 'filter';
  return field.sortable ? 'sort' : undefined;
}

function isNarrowing({ leaf, operators }: QueryField): boolean {
  return leaf !== undefined && narrowing.some((operator) => operators.has(operator));
}

function isPoint({ leaf, nullable, operators, sortable }: QueryField): boolean {
  const mayAskNull = nullable && leaf?.name !== 'string';
  return !sortable && !mayAskNull && narrowing.every((operator) => !operators.has(operator) || pointing.includes(operator));
}

/** Whether the filter fixes all fields of a unique index. Then at most one record is left, and its order does not matter. */
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

/** Drops plain indexes whose key is the beginning of another index's key: the longer index serves the same queries. */
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

/** Whether an index with these options can serve every query: it is not hidden, and has every record, in the order of plain comparison. */
export function holdsEveryRecord({ partialFilterExpression, sparse, hidden, collation }: IndexOptions): boolean {
  return !(partialFilterExpression || sparse || hidden || collation);
}

/**
 * Whether an index with the key `longer` serves every query that one with `key` does: it begins with `key`, in the same or the opposite
 * order.
 */
export function isPrefix(key: IndexKey, longer: IndexKey): boolean {
  const isAlong = (sign: 1 | -1): boolean =>
    key.every(([path, direction], at) => {
      const [otherPath, otherDirection] = longer[at] ?? [];
      const wanted = sign === -1 && typeof direction === 'number' ? -direction : direction;
      return path === otherPath && wanted === otherDirection;
    });
  return key.length <= longer.length && (isAlong(1) || (isAlong(-1) && key.every(([, direction]) => typeof direction === 'number')));
}

/** Whether two keys have the same paths, in the same or the opposite order. */
export function isSameKey(a: IndexKey, b: IndexKey): boolean {
  return a.length === b.length && isPrefix(a, b);
}

/** Whether two options are equal as JSON, whatever the order of their keys. */
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
