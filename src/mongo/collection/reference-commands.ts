import type { Document as BsonDocument, Collection } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { referencesKey } from '../../model/value/own-keys.ts';
import type { Commands } from '../driver/commands.ts';
import type { Told } from '../driver/duplicate-key.ts';
import { inParts } from '../driver/in-parts.ts';
import type { Work } from '../driver/work.ts';
import { both } from '../predicate/filter-of.ts';
import type { Filter, Predicate } from '../predicate/predicate.ts';
import { type Deletion, marking } from '../query/deleted.ts';
import { buildUpdate } from '../query/update-pipeline.ts';

type Stored = Record<string, unknown>;

/** The commands that checked references need. One that is given ids is sent once for every 5,000 of them. */
export interface ReferenceCommands {
  /**
   * Writes into each of these records, within the scope, because the transaction that this is a part of makes a latch
   * of it: a delete of the record conflicts with it. Neither the revision nor `updatedAt` moves. Returns how many
   * records there are.
   */
  holdAll(ids: readonly unknown[], scope: Predicate | undefined, work: Work): Promise<number>;
  /** Deletes these records, within the scope: removes them, or marks them if their model has `t.deletedAt()`. */
  removeAll(ids: readonly unknown[], scope: Predicate | undefined, deletion: Deletion, work: Work): Promise<void>;
  /** Removes these records for good, within the scope, whether they are deleted or not. */
  purgeAll(ids: readonly unknown[], scope: Predicate | undefined, work: Work): Promise<void>;
  /** Applies update pipelines to these records, one after the other, as one change within the scope. */
  rewriteAll(ids: readonly unknown[], scope: Predicate | undefined, pipelines: readonly BsonDocument[][], work: Work): Promise<void>;
}

const countReference: BsonDocument = { $inc: { [referencesKey]: 1 } };

/** Opens the commands of checked references on a collection. */
export function openReferenceCommands(
  model: CompiledModel,
  collection: Collection<Stored>,
  { write }: Pick<Commands, 'write'>,
): ReferenceCommands {
  const rewriteAll: ReferenceCommands['rewriteAll'] = async (ids, scope, pipelines, work) => {
    for (const some of inParts(ids)) {
      const filter = both(withIds(some), scope);
      for (const pipeline of pipelines)
        await write(work, (command) => collection.updateMany(command.handOver(filter), pipeline, command.options), serverItself);
    }
  };

  async function purgeAll(ids: readonly unknown[], scope: Predicate | undefined, work: Work): Promise<void> {
    for (const some of inParts(ids)) {
      const filter = both(withIds(some), scope);
      await write(work, (command) => collection.deleteMany(command.handOver(filter), command.options));
    }
  }

  return {
    async holdAll(ids, scope, work) {
      let held = 0;
      for (const some of inParts(ids)) {
        const filter = both(withIds(some), scope);
        const done = await write(work, (command) => collection.updateMany(command.handOver(filter), countReference, command.options));
        held += done.matchedCount;
      }
      return held;
    },

    async removeAll(ids, scope, deletion, work) {
      if (!model.deletedAt) return purgeAll(ids, scope, work);
      const marked = buildUpdate(model, marking(model, deletion), deletion.writtenAt ?? deletion.at);
      return rewriteAll(ids, scope, [marked], work);
    },

    purgeAll,
    rewriteAll,
  };
}

/** The request has no field for what a delete or restore does to further records. */
const serverItself: Told = { mayName: () => false };

function withIds(ids: readonly unknown[]): Filter {
  return { _id: { $in: ids } };
}
