import type { Db } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { bsonOptions } from '../driver/bson-options.ts';
import { planCommands } from '../driver/commands.ts';
import { inParts } from '../driver/in-parts.ts';
import { runTransaction } from '../driver/run-transaction.ts';
import type { Work } from '../driver/work.ts';
import { spellId } from '../stored-record.ts';

/** The collections of deliveries about records of any model. */
export interface DeliveryCollections {
  readonly db: Db;
  readonly maxTimeMS: number;
  readonly names: readonly string[];
}

/** Runs a purge in a transaction, and erases the deliveries about the records that it has found. */
export async function eraseDeliveriesWith<T extends { readonly found: readonly unknown[] }>(
  { db, maxTimeMS, names }: DeliveryCollections,
  model: CompiledModel,
  work: Work,
  run: () => Promise<T>,
): Promise<T> {
  return runTransaction(db, work, maxTimeMS, async () => {
    const batch = await run();
    const subjects = batch.found.map((id) => spellId(model, id));
    for (const name of names) {
      const collection = db.collection(name, bsonOptions);
      const { write } = planCommands(model, db, collection, maxTimeMS);
      for (const some of inParts(subjects)) {
        const filter = { model: model.name, subject: { $in: some } };
        await write(work, (command) => collection.deleteMany(command.handOver(filter), command.options));
      }
    }
    return batch;
  });
}
