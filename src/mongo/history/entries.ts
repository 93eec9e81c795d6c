import { type Collection, ObjectId } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { entryModel } from '../../model/compile/entry-model.ts';
import { lifeKey } from '../../model/value/own-keys.ts';
import type { DatabaseOptions } from '../collection/collection.ts';
import { bsonOptions, decode } from '../driver/bson-options.ts';
import { planCommands } from '../driver/commands.ts';
import { asDb } from '../driver/database.ts';
import { compileFirstBatch, type FirstBatch } from '../driver/read-batches.ts';
import { checkTimeLimit } from '../driver/time-limit.ts';
import type { Work } from '../driver/work.ts';
import type { Entry } from '../ledger/entry.ts';
import type { Filter } from '../query/filter.ts';
import type { StoredRecord } from '../stored-record.ts';

/** The entries of the histories of a model. */
export interface ReadEntries {
  /** Reads entries by their revisions, from the primary: all that led to a record which was read before are there. */
  read(filter: Filter, direction: 1 | -1, limit: number, work: Work): Promise<FirstBatch>;
}

/** Decodes an entry. Of many, each is decoded when its turn comes. */
export function decodeEntry(bytes: Uint8Array): Entry {
  return decode(bytes) as unknown as Entry;
}

/** The entries of a history as the records of a model. Throws a plain Error for a model without a history. */
export function modelOfEntries(model: CompiledModel): CompiledModel {
  const found = entryModel(model);
  if (!found) throw new Error(`The model ${model.name} has no \`history\`.`);
  return found;
}

/** A filter for the entries of a record, in the life that it has now. */
export function entriesOf({ stored }: StoredRecord): Filter {
  const life = stored[lifeKey];
  return { record: stored._id, life: life instanceof ObjectId ? life : null };
}

/** Opens the entries of a model. */
export function openEntries(model: CompiledModel, { db: database, maxTimeMS: limitMS = 10_000 }: DatabaseOptions): ReadEntries {
  const db = asDb(database);
  const ofEntries = modelOfEntries(model);
  const { collection: name } = ofEntries;
  const collection: Collection = db.collection(name, { ...bsonOptions, readPreference: 'primary' });
  checkTimeLimit(limitMS);
  const maxTimeMS = model.maxTimeMS ?? limitMS;
  const { readMany } = planCommands(ofEntries, db, collection, maxTimeMS);
  const readFirstBatch = compileFirstBatch(db, collection);
  return {
    read(filter, direction, limit, work) {
      return readMany(work, (command) => {
        const { maxTimeMS: rest } = command;
        const sort = { revision: direction };
        const body = { find: name, filter: command.handOver(filter), sort, limit, batchSize: limit + 1, maxTimeMS: rest };
        return command.count(() => readFirstBatch(body, command));
      });
    },
  };
}
