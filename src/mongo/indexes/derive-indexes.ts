import { Binary, ObjectId } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { type DeclaredIndex, type IndexKey, isText } from '../../model/compile/model-index.ts';
import { pathOfField } from '../../model/fold/fold-paths.ts';
import { isDeleted, isLive } from '../lifecycle/lifecycle.ts';
import type { Filter } from '../predicate/predicate.ts';
import type { IndexOptions, IndexSource, PlannedIndex, Wanted } from './wanted.ts';
import { partially, wantedBy } from './wanted-indexes.ts';

/**
 * Derives the indexes of one collection: those that models declare, and those that lists need. A list needs one index
 * for each field that it filters or sorts by, and one for its scope. Each begins with the fields of the scope and ends
 * with the id, as every sort of a list does. So the records of a filter for one value are in the list's own order, and
 * a sort reads the index in its order, from either end.
 *
 * There is one index for each field, and not for each combination of a filter and a sort: their number would have no
 * bound. An application declares the combinations that matter.
 */
export function deriveIndexes(sources: readonly IndexSource[]): PlannedIndex[] {
  const planned = merge(sources.flatMap(({ model }) => model.indexes.map((index) => toPlanned(index, model))));
  const wanted = sources.flatMap(wantedBy);
  for (const { point, ...index } of wanted) {
    const unique = point && planned.find((one) => isUniqueFor(one, point) && (point.isOfLiving || !comparesLivingOnly(one)));
    if (unique) addReasons(planned, unique, index.reasons);
    else planned.push(index);
  }
  const ours = sources.flatMap(({ model }) => [isLive(model) ?? [], isDeleted(model) ?? []].flat());
  return dropPrefixes(merge(planned), ours);
}

function toPlanned({ key, unique, partialOn, options }: DeclaredIndex, model: CompiledModel): PlannedIndex {
  const { name, fieldTable } = model;
  if (options) return { key, options, reasons: [`${name}: declared`] };
  const names = new Map([...fieldTable.values()].map((one) => [one.path, one.name]));
  const reason = unique ? `unique ${key.map(([path]) => names.get(pathOfField(path))).join(', ')}` : 'declared';
  return { key, options: unique ? { unique, ...onlyWith(partialOn, isLive(model)) } : {}, reasons: [`${name}: ${reason}`] };
}

/**
 * Leaves records out of an index that have no value, or null, in one of these fields. The filter is a bound below all
 * values of the type, and not `$type`: with a bound, the query planner knows that the index has all records for an
 * equality of the field. Deleted records are left out too: their values are free.
 */
function onlyWith(fields: DeclaredIndex['partialOn'], live: Filter = {}): IndexOptions {
  const bounds = fields.map(({ path, leaf }) => [path, { $gte: lowestOf(leaf?.bsonTypes[0]) }] as const);
  return partially({ ...Object.fromEntries(bounds), ...live });
}

/** Whether an index leaves out deleted records: null is in no other filter of an index. */
function comparesLivingOnly({ options: { partialFilterExpression = {} } }: PlannedIndex): boolean {
  return Object.values(partialFilterExpression).includes(null);
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

/**
 * Whether the filter fixes all fields of a unique index. Then at most one record is left, and its order does not
 * matter.
 */
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

/**
 * Drops plain indexes, and those whose filter is `ours`, if their key is the beginning of another index's key: the
 * longer index serves the same queries.
 */
function dropPrefixes(planned: readonly PlannedIndex[], ours: readonly Filter[]): PlannedIndex[] {
  const kept = [...planned];
  for (const { key, options, reasons } of planned) {
    const index = kept.findIndex((one) => one.key === key && one.options === options);
    const longer = kept.find(
      (one, at) => at !== index && isPlain(options, ours) && holdsRecordsOf(options, one.options) && isPrefix(key, one.key),
    );
    if (!longer) continue;
    addReasons(kept, longer, reasons);
    kept.splice(index, 1);
  }
  return kept;
}

function isPlain({ partialFilterExpression: filter, ...others }: IndexOptions, ours: readonly Filter[]): boolean {
  return Object.keys(others).length === 0 && (filter === undefined || ours.some((one) => isEqual(one, filter)));
}

/** Whether an index with the options `other` has every record that one with `options` has. */
export function holdsRecordsOf({ partialFilterExpression }: IndexOptions, other: IndexOptions): boolean {
  const { partialFilterExpression: filter, ...others } = other;
  const isSame = partialFilterExpression !== undefined && isEqual(filter, partialFilterExpression);
  return holdsEveryRecord(isSame ? others : other);
}

/**
 * Whether an index with these options can serve every query: it is not hidden, and has every record, in the order of
 * plain comparison.
 */
function holdsEveryRecord({ partialFilterExpression, sparse, hidden, collation }: IndexOptions): boolean {
  return !(partialFilterExpression || sparse || hidden || collation);
}

/**
 * Whether an index with the key `longer` serves every query that one with `key` does: it begins with `key`, in the same
 * or the opposite order. A text index serves no query without a search.
 */
export function isPrefix(key: IndexKey, longer: IndexKey): boolean {
  if (isText(longer) && !isText(key)) return false;
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
