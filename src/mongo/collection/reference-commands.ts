import type { Document as BsonDocument, Collection } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { referencesKey } from '../../model/value/own-keys.ts';
import type { Commands } from '../driver/commands.ts';
import type { Told } from '../driver/duplicate-key.ts';
import { inParts } from '../driver/in-parts.ts';
import type { Command, Work } from '../driver/work.ts';
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
  /**
   * Deletes these records, within reach: removes them, or marks them if their model has `t.deletedAt()`. Returns how
   * many it has deleted. `told` is whom a 409 tells which fields collide. @default nobody
   */
  removeAll(ids: readonly unknown[], within: Within, deletion: Deletion, work: Work, told?: Told): Promise<number>;
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
  /** Applies update pipelines, and returns how many changes they have made. */
  async function rewrite(
    ids: readonly unknown[],
    within: Within,
    pipelines: readonly BsonDocument[][],
    work: Work,
    told = serverItself,
  ): Promise<number> {
    let modified = 0;
    for (const some of filtersOf(ids, within))
      for (const pipeline of pipelines) {
        const send = (command: Command) => collection.updateMany(command.handOver(some), pipeline, command.options);
        modified += (await write(work, send, told)).modifiedCount;
      }
    return modified;
  }

  async function purgeAll(ids: readonly unknown[], within: Within, work: Work): Promise<number> {
    let purged = 0;
    for (const some of filtersOf(ids, within))
      purged += (await write(work, (command) => collection.deleteMany(command.handOver(some), command.options))).deletedCount;
    return purged;
  }

  return {
    async holdAll(ids, within, work) {
      let held = 0;
      for (const some of filtersOf(ids, within)) {
        const hold = (command: Command) => collection.updateMany(command.handOver(some), countReference, command.options);
        held += (await write(work, hold)).matchedCount;
      }
      return held;
    },

    async removeAll(ids, within, deletion, work, told) {
      const marked = marking(model, deletion);
      if (!marked) return purgeAll(ids, within, work);
      return rewrite(ids, within, [buildUpdate(model, marked, deletion.writtenAt ?? deletion.at)], work, told);
    },

    purgeAll,

    async rewriteAll(ids, within, pipelines, work) {
      await rewrite(ids, within, pipelines, work);
    },
  };
}

/** The filters of records with these ids, within reach, for one command each. */
export function* filtersOf(ids: readonly unknown[], within: Within, where?: Filter): Generator<Filter> {
  for (const some of inParts(ids)) yield both(both({ _id: { $in: some } }, within.predicate), where);
}

/** The request has no field for what a delete or restore does to further records. */
const serverItself: Told = { mayName: () => false };
