import type { Db } from 'mongodb';
import type { IndexKey } from '../../model/compile/model-index.ts';
import { askWithin } from '../driver/ask-within.ts';
import { asPredicate, conjunctsOf } from '../predicate/conjuncts-of.ts';
import { filterOf } from '../predicate/filter-of.ts';
import type { Filter, Predicate } from '../predicate/predicate.ts';
import { holdsRecordsOf, isEqual } from './derive-indexes.ts';
import type { ExistingIndex } from './index-plan.ts';
import { readIndexes } from './indexes.ts';
import { alternativesOf, equalPathsOf } from './list-shape.ts';
import type { IndexOptions } from './wanted.ts';

/** How long it is believed which indexes a collection has, in milliseconds. */
const believedMS = 60_000;

/** How long the first page that depends on them waits for them, in milliseconds. */
const patienceMS = 1_000;

/**
 * Counts how many keys of a sort, from the first on, one index has behind the paths that a list compares with single
 * values. Ranges of a list that differ in these keys are read apart, and those that differ only in others are not.
 *
 * The indexes are read when they are needed for the first time, and again a minute later, while what is known still
 * counts. Undefined if the database does not tell them in time, or not to this user.
 */
export type CountIndexedKeys = (where: Predicate, sort: readonly string[]) => Promise<number | undefined>;

export function compileIndexedKeys(db: Db, collection: string): CountIndexedKeys {
  let known: Promise<readonly ExistingIndex[] | undefined> | undefined;
  let readAgainAt = Number.NEGATIVE_INFINITY;

  function read(): Promise<readonly ExistingIndex[] | undefined> {
    const now = performance.now();
    if (known && now < readAgainAt) return known;
    readAgainAt = now + believedMS;
    const found = askWithin(patienceMS, (signal) => readIndexes(db, collection, signal)).catch(() => undefined);
    known ??= found;
    void found.then(() => {
      known = found;
    });
    return known;
  }

  return async function countIndexedKeys(where, sort) {
    const found = await read();
    if (!found) return undefined;
    const counts = alternativesOf(where).map((alternative) => {
      const equal = equalPathsOf(alternative);
      const conjuncts = conjunctsOf(alternative).flatMap((part) => membersOf(filterOf(asPredicate(part))));
      const usable = found.filter(({ options }) => isUsable(options, conjuncts));
      return Math.max(0, ...usable.map(({ key }) => countKeys(key, equal, sort)));
    });
    return Math.min(...counts);
  };
}

/**
 * Whether an index has all records that a filter finds. One with a filter of its own has them if the other filter
 * repeats it.
 */
function isUsable(options: IndexOptions, conjuncts: readonly Filter[]): boolean {
  const own = readConjuncts(options.partialFilterExpression ?? {});
  return holdsRecordsOf(options, options) && own.every((part) => conjuncts.some((one) => isEqual(one, part)));
}

/** The conjuncts of the filter of an index, which the application may have written. */
function readConjuncts(filter: Filter): Filter[] {
  return membersOf(filter).flatMap((one) => ('$and' in one ? (one.$and as Filter[]).flatMap(readConjuncts) : [one]));
}

/** The members of a filter, all of which must match. */
function membersOf(filter: Filter): Filter[] {
  return Object.entries(filter).map(([key, value]) => ({ [key]: value }));
}

function countKeys(key: IndexKey, equal: ReadonlySet<string>, sort: readonly string[]): number {
  const passed = new Set<string>();
  let count = 0;
  const isNext = (path: string) => path === sort[count];
  for (const [path, direction] of key) {
    while (passed.has(sort[count] as string)) count++;
    if (isNext(path) && typeof direction === 'number') count++;
    else if (equal.has(path)) passed.add(path);
    else break;
  }
  while (passed.has(sort[count] as string)) count++;
  return count;
}
