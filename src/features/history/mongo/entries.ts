import { type Document as BsonDocument, type Collection, ObjectId } from 'mongodb';
import type { CompiledModel } from '../../../model/compile/compile-model.ts';
import { entryModel } from '../../../model/compile/entry-model.ts';
import { lifeKey } from '../../../model/value/own-keys.ts';
import type { DatabaseOptions } from '../../../mongo/collection/collection.ts';
import { bsonOptions, decode } from '../../../mongo/driver/bson-options.ts';
import { planCommands } from '../../../mongo/driver/commands.ts';
import { asDb } from '../../../mongo/driver/database.ts';
import { compileFirstBatch, type FirstBatch } from '../../../mongo/driver/read-batches.ts';
import { timeLimitFor } from '../../../mongo/driver/time-limit.ts';
import type { Work } from '../../../mongo/driver/work.ts';
import type { Entry } from '../../../mongo/ledger/entry.ts';
import type { Filter } from '../../../mongo/predicate/predicate.ts';
import type { StoredRecord } from '../../../mongo/stored-record.ts';

/** The entries of the histories of a model. All that led to a record which was read before are there. */
export interface ReadEntries {
  /** Reads entries in the order of their revisions, and only what `projection` names. */
  read(filter: Filter, direction: 1 | -1, limit: number, projection: BsonDocument, work: Work): Promise<FirstBatch>;
  /** Sends the entries that match through `stages`, which return at most `limit` documents. */
  aggregate(filter: Filter, stages: readonly BsonDocument[], limit: number, work: Work): Promise<FirstBatch>;
}

/**
 * The projection of entries with the changes of some fields: what else there is, the caller is not shown, so that it
 * must not count.
 */
export function projectChanges(paths: Iterable<string>): BsonDocument {
  return { revision: 1, at: 1, change: 1, operation: 1, actor: 1, request: 1, changes: changesOf(paths) };
}

/** The changes of some fields, as an expression. */
export function changesOf(paths: Iterable<string>): BsonDocument {
  return { $filter: { input: '$changes', as: 'one', cond: { $in: ['$$one.path', { $literal: [...paths] }] } } };
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
export function openEntries(model: CompiledModel, options: DatabaseOptions): ReadEntries {
  const db = asDb(options.db);
  const ofEntries = modelOfEntries(model);
  const { collection: name } = ofEntries;
  const collection: Collection = db.collection(name, { ...bsonOptions, readPreference: 'primary' });
  const maxTimeMS = timeLimitFor(model, options);
  const { readMany } = planCommands(ofEntries, db, collection, maxTimeMS);
  const readFirstBatch = compileFirstBatch(db, collection);
  return {
    read(filter, direction, limit, projection, work) {
      return readMany(work, (command) => {
        const { maxTimeMS: rest } = command;
        const sort = { revision: direction };
        const body = { find: name, filter: command.handOver(filter), projection, sort, limit, batchSize: limit + 1, maxTimeMS: rest };
        return command.count(() => readFirstBatch(body, command));
      });
    },

    aggregate(filter, stages, limit, work) {
      return readMany(work, (command) => {
        const { maxTimeMS: rest } = command;
        const pipeline = [command.handOver({ $match: filter }), ...stages];
        const body = { aggregate: name, pipeline, cursor: { batchSize: limit + 1 }, maxTimeMS: rest };
        return command.count(() => readFirstBatch(body, command));
      });
    },
  };
}
