import { once } from '../mistakes.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { ModelCollection } from '../mongo/collection/collection.ts';
import { idsOnly, type MatchingRecords } from '../mongo/collection/find.ts';
import { planPurge } from '../mongo/collection/write-plan.ts';
import { asDb } from '../mongo/driver/database.ts';
import { timeLimit } from '../mongo/driver/time-limit.ts';
import type { Work } from '../mongo/driver/work.ts';
import type { Batch, Keeps } from '../mongo/keeps/keep.ts';
import { isDeletedUntil, oldestFirst } from '../mongo/lifecycle/lifecycle.ts';
import type { Within } from '../mongo/lifecycle/within.ts';
import { amongIds } from '../mongo/predicate/predicate.ts';
import type { WriteOptions } from '../mongo/relations/open-referencing.ts';
import { aWholeNumber, byDefault, checkOptions, fillIn, required } from '../options.ts';
import type { PurgeOptions } from './store.ts';

const legal = {
  olderThan: required([isTime, 'a number of milliseconds from 0 on, or a date']),
  max: byDefault(10_000, aWholeNumber(1, undefined, ' of records')),
};

/** The most records that one command removes. */
const batchSize = 1_000;

/** Where records are removed for good. */
interface Purging {
  readonly model: CompiledModel;
  readonly collection: Pick<ModelCollection, 'find' | 'writeMany'>;
  /** What is kept of them beside them. */
  readonly keeps: Keeps;
}

/** Removes what has been deleted for some time, batch by batch: the oldest first, and at most `max` records. */
export async function purge(
  { model, collection, keeps }: Purging,
  within: Within,
  options: PurgeOptions,
  work: () => Work,
): Promise<number> {
  const { olderThan, max } = checkOptions(options, legal, '`purge`');
  const until = olderThan instanceof Date ? olderThan : new Date(Math.max(Date.now() - olderThan, -8.64e15));
  let count = 0;
  while (count < max) {
    const size = Math.min(max - count, batchSize);
    const some = keeps.areMentioned(model.collection) ? await eraseMentions(size) : within;
    const own = work();
    const { found, purged } = await keeps.eraseWith(model, own, () => purgeSome(some, size, own));
    count += purged;
    if (found.length < size) break;
  }
  return count;

  /** What has been deleted long enough, the oldest deletions first. */
  function expired(within: Within, limit: number): MatchingRecords {
    return { within: within.and(isDeletedUntil(model, until)), sort: oldestFirst(model), limit };
  }

  /** Another process may have removed or restored some of what it finds meanwhile. */
  async function purgeSome(within: Within, most: number, work: Work): Promise<Batch & { readonly purged: number }> {
    const sought = expired(within, most);
    const found = await collection.find(sought, idsOnly, work);
    const { modified } = await collection.writeMany(planPurge({ ids: found, within: sought.within }), work);
    return { found, purged: modified };
  }

  /** Before the records go: if this process dies, they are found again. Returns these records. */
  async function eraseMentions(most: number): Promise<Within> {
    const ids = await collection.find(expired(within, most), idsOnly, work());
    await keeps.eraseAllMentions(model, ids, work);
    return within.and(amongIds(ids));
  }
}

/** Loads what is kept of the records of models when it is needed. */
export function loadKeeps(models: readonly CompiledModel[], { db, references, ...given }: WriteOptions): () => Promise<Keeps> {
  const { maxTimeMS } = fillIn(given, timeLimit);
  return once(async () => (await import('../mongo/keeps/keeps.ts')).openKeeps({ db: asDb(db), maxTimeMS, models, references }));
}

function isTime(value: unknown): boolean {
  if (value instanceof Date) return !Number.isNaN(value.getTime());
  return typeof value === 'number' && value >= 0 && Number.isFinite(value);
}
