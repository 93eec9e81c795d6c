import { inspect } from 'node:util';
import { type IndexKey, isText } from '../../model/compile/model-index.ts';
import { holdsRecordsOf, isEqual, isPrefix, isSameKey } from './derive-indexes.ts';
import type { IndexOptions, PlannedIndex } from './wanted.ts';

/** An index that exists in the database. */
export interface ExistingIndex {
  readonly name: string;
  readonly key: IndexKey;
  readonly options: IndexOptions;
}

/** An index that the api needs, and the existing index for it. */
export interface MatchedIndex extends PlannedIndex {
  readonly existing: ExistingIndex;
}

/** A comparison of the indexes that the api needs in one collection with those that exist. */
export interface CollectionPlan {
  readonly collection: string;
  /** Needed indexes that exist, either as planned or as the beginning of a longer index. */
  readonly existing: readonly MatchedIndex[];
  /** Needed indexes that do not exist. `applyIndexes` creates them. */
  readonly missing: readonly PlannedIndex[];
  /**
   * Needed indexes that cannot be created, because another index has the same key or name. Only you can decide to drop
   * that index.
   */
  readonly conflicting: readonly MatchedIndex[];
  /**
   * Existing indexes that no list and no declaration of the api needs. Other code may use them: the library never drops
   * an index.
   */
  readonly unused: readonly ExistingIndex[];
  /** Hints about what the plan does not know. */
  readonly notes: readonly string[];
}

/**
 * The indexes that an api needs in each of its collections, compared with those that exist. As a string, and in the
 * console, it is a table.
 *
 * @example
 * const plan = await planIndexes(api);
 * if (plan.collections.some(({ missing }) => missing.length > 0)) console.log(`${plan}`);
 */
export class IndexPlan {
  /** One comparison for each collection. */
  readonly collections: readonly CollectionPlan[];

  constructor(collections: readonly CollectionPlan[]) {
    this.collections = collections;
  }

  toString(): string {
    return this.collections.map(formatCollection).join('\n\n');
  }

  [inspect.custom](): string {
    return this.toString();
  }
}

/** Compares the indexes that a collection needs with those that exist. */
export function compareIndexes(
  planned: readonly PlannedIndex[],
  found: readonly ExistingIndex[],
): Omit<CollectionPlan, 'collection' | 'notes'> {
  const existing: MatchedIndex[] = [];
  const conflicting: MatchedIndex[] = [];
  const missing: PlannedIndex[] = [];
  for (const index of planned) {
    const serving = found.filter((one) => serves(one, index));
    const same = serving.find((one) => isSameKey(one.key, index.key)) ?? serving[0];
    const obstacle = found.find((one) => isObstacle(one, index));
    if (same) existing.push({ ...index, existing: same });
    else if (obstacle) conflicting.push({ ...index, existing: obstacle });
    else missing.push(index);
  }
  const known = new Set([...existing, ...conflicting].map((one) => one.existing));
  return { existing, missing, conflicting, unused: found.filter((one) => one.name !== '_id_' && !known.has(one)) };
}

function serves(found: ExistingIndex, { key, options }: PlannedIndex): boolean {
  const { unique, partialFilterExpression, name: _, ...others } = options;
  if (isText(key) || Object.keys(others).length > 0 || options.name !== undefined) return isGiven(found, key, options);
  if (!unique) return holdsRecordsOf(options, found.options) && isPrefix(key, found.key);
  const isFilterEqual = isEqual(found.options.partialFilterExpression, partialFilterExpression);
  const isRestricted = found.options.sparse || found.options.collation;
  return isSameKey(key, found.key) && found.options.unique === unique && isFilterEqual && !isRestricted;
}

/** Whether an existing index is one that was declared with `key`, whatever its name is. */
function isGiven(found: ExistingIndex, key: IndexKey, { background: _, ...options }: IndexOptions): boolean {
  return (
    isSameKey(inOrder(key), inOrder(declaredKey(found))) &&
    Object.entries(options).every(([option, value]) => isEqual({ name: found.name, ...found.options }[option], value))
  );
}

/**
 * The key with which an existing index can be declared. The database keeps the fields of a text index by the names of
 * its weights only, because their order means nothing.
 */
function declaredKey({ key, options: { weights = {} } }: ExistingIndex): IndexKey {
  const texts = Object.keys(weights).map((path): IndexKey[number] => [path, 'text']);
  return key.flatMap((part) => (part[0] === '_fts' ? texts : part[0] === '_ftsx' ? [] : [part]));
}

/** The key with its texts in alphabetical order. */
function inOrder(key: IndexKey): IndexKey {
  const texts = key.filter(([, direction]) => direction === 'text').sort(([a], [b]) => (a < b ? -1 : 1));
  return key.map((part) => (part[1] === 'text' ? (texts.shift() ?? part) : part));
}

/** The name of an index: the given one, or the one that the driver makes of its key. */
export function nameOf(key: IndexKey, { name }: IndexOptions): string {
  return name ?? key.map(([path, direction]) => `${path}_${direction}`).join('_');
}

/**
 * Whether the database would refuse to create the planned index beside an existing one. A collection has one text index
 * at most.
 */
function isObstacle(found: ExistingIndex, { key, options }: PlannedIndex): boolean {
  return found.name === nameOf(key, options) || isEqual(found.key, key) || (isText(key) && isText(found.key));
}

/** Formats a key as an argument of `createIndex`: `{ owner: 1, _id: 1 }`. */
export function formatKey(key: IndexKey): string {
  const isPlain = (path: string): boolean => /^[A-Za-z_$][\w$]*$/.test(path);
  const entries = key.map(([path, direction]) => `${isPlain(path) ? path : `'${path.replace(/[\\']/g, '\\$&')}'`}: ${inspect(direction)}`);
  return `{ ${entries.join(', ')} }`;
}

function formatCollection({ collection, existing, missing, conflicting, unused, notes }: CollectionPlan): string {
  const rows = [
    ...existing.map((one) => ['exists', formatIndex(one), one.reasons.join('; ')]),
    ...missing.map((one) => ['missing', formatIndex(one), one.reasons.join('; ')]),
    ...conflicting.map((one) => ['conflict', formatIndex(one), `${one.reasons.join('; ')}; there is ${formatFound(one.existing)}`]),
    ...unused.map((one) => ['unused', formatIndex(one), one.name]),
  ];
  const width = Math.max(0, ...rows.map(([, index]) => index?.length ?? 0));
  const lines = rows.map(([state = '', index = '', why]) => `  ${state.padEnd(8)}  ${index.padEnd(width)}  ${why}`);
  return [collection, ...lines, ...notes.map((note) => `  note      ${note}`)].join('\n');
}

function formatIndex({ key, options: { unique } }: { readonly key: IndexKey; readonly options: IndexOptions }): string {
  return `${formatKey(key)}${unique ? ' unique' : ''}`;
}

/** Formats an existing index with its name, key and options, for a plan or an error. */
export function formatFound({ name, key, options }: ExistingIndex): string {
  const others = Object.keys(options).length > 0 ? ` ${inspect(options, { breakLength: Number.POSITIVE_INFINITY })}` : '';
  return `\`${name}\` ${formatKey(key)}${others}`;
}
