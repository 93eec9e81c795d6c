import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { absent } from '../../model/node.ts';
import { bsonOptions } from '../driver/bson-options.ts';
import { planCommands } from '../driver/commands.ts';
import { asDb } from '../driver/database.ts';
import { timeLimitFor } from '../driver/time-limit.ts';
import { type Command, Work } from '../driver/work.ts';
import type { Filter } from '../predicate/predicate.ts';
import type { DatabaseOptions } from './collection.ts';

/** Values to write into one record. `absent` removes a key. */
export interface ValueWrite {
  readonly id: unknown;
  /** Must match for the write: that nobody has changed the record meanwhile. */
  readonly filter: Filter;
  readonly values: ReadonlyMap<string, unknown>;
}

/**
 * Opens writes that clients cannot notice: neither the revision nor `updatedAt` changes. The function returns how many
 * of the records matched. `maxTimeMS` is the time for one call.
 */
export function openValueWrites(model: CompiledModel, options: DatabaseOptions): (writes: readonly ValueWrite[]) => Promise<number> {
  const db = asDb(options.db);
  const collection: Collection = db.collection(model.collection, bsonOptions);
  const maxTimeMS = timeLimitFor(model, options);
  const { write } = planCommands(model, db, collection, maxTimeMS);
  return async function writeValues(writes) {
    const [first, ...others] = writes;
    if (!first) return 0;
    const { matchedCount } = await write(new Work(), (command) =>
      collection.bulkWrite([toUpdate(first, command), ...others.map((one) => toUpdate(one))], { ...command.options, ordered: false }),
    );
    return matchedCount;
  };
}

/** Classic operators: they take paths through arrays by the places of items. */
function toUpdate({ id, filter: others, values }: ValueWrite, command?: Command): AnyBulkWriteOperation {
  const set = [...values].filter(([, value]) => value !== absent);
  const unset = [...values].filter(([, value]) => value === absent).map(([path]) => [path, ''] as const);
  const update = {
    ...(set.length > 0 && { $set: Object.fromEntries(set) }),
    ...(unset.length > 0 && { $unset: Object.fromEntries(unset) }),
  };
  const filter = { ...others, _id: id as never };
  return { updateOne: { filter: command ? command.handOver(filter) : filter, update } };
}
