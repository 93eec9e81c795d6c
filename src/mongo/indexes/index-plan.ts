import { inspect } from 'node:util';
import type { IndexKey } from '../../model/compile/model-index.ts';
import { holdsEveryRecord, type IndexOptions, isEqual, isPrefix, isSameKey, type PlannedIndex } from './derive-indexes.ts';

/** An index as the database has it. */
export interface ExistingIndex {
  readonly name: string;
  readonly key: IndexKey;
  readonly options: IndexOptions;
}

/** An index that is needed, and the one that is there for it. */
export interface MatchedIndex extends PlannedIndex {
  readonly existing: ExistingIndex;
}

/** The indexes of one collection: those that are needed, and those that are there. */
export interface CollectionPlan {
  readonly collection: string;
  /** Needed, and there: as planned, or as the beginning of a longer one. */
  readonly existing: readonly MatchedIndex[];
  /** Needed, and not there: what `applyIndexes` creates. */
  readonly missing: readonly PlannedIndex[];
  /** Needed, but there is another with its keys or its name: only you can decide to drop that. */
  readonly conflicting: readonly MatchedIndex[];
  /** There, and needed by no list and no declaration of the api. Other code may use it: the library never drops one. */
  readonly unused: readonly ExistingIndex[];
  /** What the plan could not know. */
  readonly notes: readonly string[];
}

/** What an api's collections need and have. As a string, and in the console, it is a table. */
export class IndexPlan {
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

/** Compares what a collection needs with what it has. */
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
  if (hasText(key) || Object.keys(others).length > 0 || options.name !== undefined) return isGiven(found, key, options);
  if (Object.keys(options).length === 0) return holdsEveryRecord(found.options) && isPrefix(key, found.key);
  const isFilterEqual = isEqual(found.options.partialFilterExpression, partialFilterExpression);
  const isRestricted = found.options.sparse || found.options.collation;
  return isSameKey(key, found.key) && found.options.unique === unique && isFilterEqual && !isRestricted;
}

/** Whether it is an index that was given in full. One of a text has other keys in the database, and is known by its name. */
function isGiven(found: ExistingIndex, key: IndexKey, { background: _, ...options }: IndexOptions): boolean {
  const isOfKey = isSameKey(key, found.key) || (hasText(key) && found.name === nameOf(key, options));
  return isOfKey && Object.entries(options).every(([option, value]) => isEqual({ name: found.name, ...found.options }[option], value));
}

function hasText(key: IndexKey): boolean {
  return key.some(([, direction]) => direction === 'text');
}

/** The name of an index: its own, or what the driver makes of its keys. */
export function nameOf(key: IndexKey, { name }: IndexOptions): string {
  return name ?? key.map(([path, direction]) => `${path}_${direction}`).join('_');
}

/** Whether the database would refuse to create the planned one beside it. */
function isObstacle(found: ExistingIndex, { key, options }: PlannedIndex): boolean {
  return found.name === nameOf(key, options) || isEqual(found.key, key);
}

/** A key as `createIndex` is called with it: `{ owner: 1, _id: 1 }`. */
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

/** An index with all that makes it another: for a plan, and for errors. */
export function formatFound({ name, key, options }: ExistingIndex): string {
  const others = Object.keys(options).length > 0 ? ` ${inspect(options, { breakLength: Number.POSITIVE_INFINITY })}` : '';
  return `\`${name}\` ${formatKey(key)}${others}`;
}
