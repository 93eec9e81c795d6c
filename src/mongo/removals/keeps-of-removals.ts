import type { Collection, UpdateFilter } from 'mongodb';
import { compileModel } from '../../model/compile/compile-model.ts';
import type { Model } from '../../model/define/define-model.ts';
import { bsonOptions } from '../driver/bson-options.ts';
import { planCommands } from '../driver/commands.ts';
import { inParts } from '../driver/in-parts.ts';
import { type Keep, type Known, namesOf } from '../keeps/keep.ts';
import { spell } from '../ledger/keeps-of-ledgers.ts';
import type { RemovalRow, RemovalStep } from './removal-rows.ts';

/** What removals know of a database. */
interface KnownToRemovals extends Known {
  /** What `defineRemovals` has returned. */
  readonly removals?: Model | undefined;
}

/**
 * What removals keep of records: of one that could have been restored, its id, and the ids that they still have to
 * follow. The removal that purges a record says so, and keeps the id.
 */
export function keepsOfRemovals({ db, maxTimeMS, removals: model }: KnownToRemovals): Keep[] {
  if (!model) return [];
  const removals: Collection<RemovalRow> = db.collection(model.collection, bsonOptions);
  const steps: Collection<RemovalStep> = db.collection(`${model.collection}_steps`, bsonOptions);
  const compiled = compileModel(model);
  const onRemovals = planCommands(compiled, db, removals, maxTimeMS);
  const onSteps = planCommands(compiled, db, steps, maxTimeMS);
  const ofRemovals: Keep = {
    collection: removals.collectionName,
    namesActors: true,
    concerns: () => true,
    async erase(gone, work) {
      for (const some of inParts(spell(gone))) {
        const filter = { kind: 'remove', model: { $in: namesOf(gone) }, record: { $in: some } } as const;
        const change = { $set: { record: null } };
        await onRemovals.write(work, (command) => removals.updateMany(command.handOver(filter), change, command.options));
      }
    },
  };
  const ofSteps: Keep = {
    collection: steps.collectionName,
    namesActors: false,
    concerns: () => true,
    /** Another removal need not follow what this one follows. Without one, it has to go on. */
    async erase({ models: [one], ids, removal }, work) {
      if (!one || !removal) return;
      for (const some of inParts(ids)) {
        const filter = { removal: { $ne: removal }, collection: one.collection, ids: { $in: some } };
        const change = { $pull: { ids: { $in: some } } } as object as UpdateFilter<RemovalStep>;
        await onSteps.write(work, (command) => steps.updateMany(command.handOver(filter), change, command.options));
        const aside = { removal: { $ne: removal }, aside: { $in: some } };
        const pulled = { $pull: { aside: { $in: some } } } as object as UpdateFilter<RemovalStep>; // if it was of another collection, it is put aside again
        await onSteps.write(work, (command) => steps.updateMany(command.handOver(aside), pulled, command.options));
      }
    },
  };
  return [ofRemovals, ofSteps];
}
