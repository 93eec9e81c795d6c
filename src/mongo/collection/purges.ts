import type { Collection, Filter as DriverFilter } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Commands } from '../driver/commands.ts';
import type { Work } from '../driver/work.ts';
import { both } from '../predicate/filter-of.ts';
import { isDeletedUntil } from '../query/deleted.ts';
import type { Within } from '../query/within.ts';
import { type Find, idsOnly, type Matching } from './find.ts';

type Stored = Record<string, unknown>;

/** The operations that only a model with `t.deletedAt()` has, apart from the restore. */
export interface Purges {
  /**
   * Removes at most `max` records for good that were deleted at this time or before, the oldest deletions first.
   * Returns which it found; another process may have removed or restored some of them meanwhile.
   */
  purge(until: Date, within: Within, max: number, work: Work): Promise<PurgedBatch>;
}

/** The result of one batch of a purge. */
interface PurgedBatch {
  /** The ids that it found, as they are stored. */
  readonly found: readonly unknown[];
  readonly purged: number;
}

/** Which records {@link Purges.purge} would remove, in its order. */
export function expiredBy(model: CompiledModel, until: Date, within: Within, limit: number): Matching {
  return { within: within.and(isDeletedUntil(model, until)), sort: { [model.deletedAt?.key as string]: 1, _id: 1 }, limit };
}

/** Opens the purge of a collection. It reads from the primary: a secondary might show what is removed already. */
export function openPurges(
  model: CompiledModel,
  collection: Collection<Stored>,
  { find }: Find,
  { write }: Pick<Commands, 'write'>,
): Purges {
  return {
    async purge(until, within, max, work) {
      const expired = expiredBy(model, until, within, max);
      const ids = await find(expired, idsOnly, work);
      if (ids.length === 0) return { found: ids, purged: 0 };
      const filter = both({ _id: { $in: ids } }, expired.within.of(model)); // one may have been restored meanwhile
      const done = await write(work, (command) => collection.deleteMany(command.handOver(filter) as DriverFilter<Stored>, command.options));
      return { found: ids, purged: done.deletedCount };
    },
  };
}
