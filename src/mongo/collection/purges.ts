import type { Collection, Filter as DriverFilter } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Commands } from '../driver/commands.ts';
import type { Work } from '../driver/work.ts';
import { isDeletedUntil } from '../query/deleted.ts';
import { both, type Filter } from '../query/filter.ts';

type Stored = Record<string, unknown>;

/** The operations that only a model with `t.deletedAt()` has, apart from the restore. */
export interface Purges {
  /** Finds what {@link purge} would remove, by its stored ids. */
  findExpired(until: Date, scope: Filter | undefined, max: number, work: Work): Promise<unknown[]>;
  /**
   * Removes at most `max` records for good that were deleted at this time or before, the oldest deletions first.
   * Returns which it found; another process may have removed or restored some of them meanwhile.
   */
  purge(until: Date, scope: Filter | undefined, max: number, work: Work): Promise<PurgedBatch>;
}

/** The result of one batch of a purge. */
interface PurgedBatch {
  /** The ids that it found, as they are stored. */
  readonly found: readonly unknown[];
  readonly purged: number;
}

/** Opens the purge of a collection. It reads from the primary: a secondary might show what is removed already. */
export function openPurges(
  model: CompiledModel,
  collection: Collection<Stored>,
  { readLatest, write }: Pick<Commands, 'readLatest' | 'write'>,
): Purges {
  const sort = { [model.deletedAt?.key as string]: 1, _id: 1 } as const;

  async function find(expired: Filter, max: number, work: Work): Promise<unknown[]> {
    const settings = { projection: { _id: 1 }, sort, limit: max, batchSize: max + 1, readPreference: 'primary' } as const;
    const found = await readLatest(work, (command) =>
      command.count(() => collection.find(command.handOver(expired), { ...command.options, ...settings }).toArray()),
    );
    return found.map(({ _id }) => _id);
  }

  return {
    findExpired: (until, scope, max, work) => find(both(isDeletedUntil(model, until), scope) ?? {}, max, work),
    async purge(until, scope, max, work) {
      const expired = both(isDeletedUntil(model, until), scope);
      const ids = await find(expired, max, work);
      if (ids.length === 0) return { found: ids, purged: 0 };
      const filter = both({ _id: { $in: ids } }, expired); // one may have been restored meanwhile
      const done = await write(work, (command) => collection.deleteMany(command.handOver(filter) as DriverFilter<Stored>, command.options));
      return { found: ids, purged: done.deletedCount };
    },
  };
}
