import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { ModelCollection } from '../collection/collection.ts';
import { planPurge } from '../collection/write-plan.ts';
import type { Work } from '../driver/work.ts';
import type { Keeps } from '../keeps/keep.ts';
import { seeing } from '../lifecycle/within.ts';
import type { RemovalRow } from './removal-rows.ts';

/** Where a removal purges records. */
interface Purging {
  readonly model: CompiledModel;
  readonly collection: ModelCollection;
  readonly keeps: Keeps;
}

/** Purges records, and what is kept of them beside them, in one transaction. */
export async function purgeRecords(
  { model, collection, keeps }: Purging,
  found: readonly unknown[],
  row: RemovalRow,
  work: Work,
): Promise<void> {
  async function purge() {
    await collection.writeMany(planPurge({ ids: found, within: seeing(model, 'with', undefined) }), work);
    return { found };
  }
  await keeps.eraseWith(model, work, purge, row._id);
}
