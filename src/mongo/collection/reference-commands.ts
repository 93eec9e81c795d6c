import type { Document as BsonDocument, Collection } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { referencesKey } from '../../model/value/own-keys.ts';
import type { Commands } from '../driver/commands.ts';
import type { Told } from '../driver/duplicate-key.ts';
import { inParts } from '../driver/in-parts.ts';
import type { Work } from '../driver/work.ts';
import { type Deletion, marking } from '../lifecycle/lifecycle.ts';
import type { Within } from '../lifecycle/within.ts';
import { both } from '../predicate/filter-of.ts';
import type { Filter } from '../predicate/predicate.ts';
import { buildUpdate } from '../query/update-pipeline.ts';

type Stored = Record<string, unknown>;

/** The commands that checked references need. One that is given ids is sent once for every 5,000 of them. */
export interface ReferenceCommands {
  /**
   * Writes into each of these records, within reach, because the transaction that this is a part of makes a latch
   * of it: a delete of the record conflicts with it. Neither the revision nor `updatedAt` moves. Returns how many
   * records there are.
   */
  holdAll(ids: readonly unknown[], within: Within, work: Work): Promise<number>;
  /** Deletes these records, within reach: removes them, or marks them if their model has `t.deletedAt()`. */
  removeAll(ids: readonly unknown[], within: Within, deletion: Deletion, work: Work): Promise<void>;
  /** Removes these records for good, within reach. Returns how many it has removed. */
  purgeAll(ids: readonly unknown[], within: Within, work: Work): Promise<number>;
  /** Applies update pipelines to these records, one after the other, as one change within reach. */
  rewriteAll(ids: readonly unknown[], within: Within, pipelines: readonly BsonDocument[][], work: Work): Promise<void>;
}

const countReference: BsonDocument = { $inc: { [referencesKey]: 1 } };

/** Opens the commands of checked references on a collection. */
export function openReferenceCommands(
  model: CompiledModel,
  collection: Collection<Stored>,
  { write }: Pick<Commands, 'write'>,
): ReferenceCommands {
  /** The filters of these records, for one command each. */
  function* filtersOf(ids: readonly unknown[], within: Within): Generator<Filter> {
    for (const some of inParts(ids)) yield both({ _id: { $in: some } }, within.predicate);
  }

  const rewriteAll: ReferenceCommands['rewriteAll'] = async (ids, within, pipelines, work) => {
    for (const some of filtersOf(ids, within))
      for (const pipeline of pipelines)
        await write(work, (command) => collection.updateMany(command.handOver(some), pipeline, command.options), serverItself);
  };

  async function purgeAll(ids: readonly unknown[], within: Within, work: Work): Promise<number> {
    let purged = 0;
    for (const some of filtersOf(ids, within))
      purged += (await write(work, (command) => collection.deleteMany(command.handOver(some), command.options))).deletedCount;
    return purged;
  }

  return {
    async holdAll(ids, within, work) {
      const hold = (some: Filter) =>
        write(work, (command) => collection.updateMany(command.handOver(some), countReference, command.options));
      let held = 0;
      for (const some of filtersOf(ids, within)) held += (await hold(some)).matchedCount;
      return held;
    },

    async removeAll(ids, within, deletion, work) {
      const marked = marking(model, deletion);
      if (!marked) return void (await purgeAll(ids, within, work));
      return rewriteAll(ids, within, [buildUpdate(model, marked, deletion.writtenAt ?? deletion.at)], work);
    },

    purgeAll,
    rewriteAll,
  };
}

/** The request has no field for what a delete or restore does to further records. */
const serverItself: Told = { mayName: () => false };
