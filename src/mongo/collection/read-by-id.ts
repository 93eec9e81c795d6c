import { type Abortable, BSON, type Collection, type EstimatedDocumentCountOptions } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { bsonOptions } from '../driver/bson-options.ts';
import { planCommands } from '../driver/commands.ts';
import { asDb } from '../driver/database.ts';
import { compileFirstBatch } from '../driver/read-batches.ts';
import { timeLimitFor } from '../driver/time-limit.ts';
import { Work } from '../driver/work.ts';
import type { DatabaseOptions } from './collection.ts';

/** A place in a collection: after the record with this id. */
export interface PlaceById {
  readonly id: unknown;
}

/** Some records of a collection as BSON bytes, in the order of their ids. */
interface Batch {
  readonly found: readonly Uint8Array[];
  /** The place in the collection where the next records begin. */
  readonly position: PlaceById | undefined;
}

/** The records of a collection in the order of their ids. */
export interface ReadById {
  /** About how many records the collection has. */
  estimate(): Promise<number>;
  /**
   * Reads the records from a position on: at most `limit`, and less if they are more than 16 MiB. None if there are no
   * more.
   */
  readNext(position: PlaceById | undefined, limit: number): Promise<Batch>;
}

/**
 * Opens the reading of all records of a collection, whatever they are: ids of another type than the model's are read
 * too. No cursor stays open in the database in between.
 */
export function openReadById(model: CompiledModel, options: DatabaseOptions): ReadById {
  const db = asDb(options.db);
  const collection: Collection = db.collection(model.collection, bsonOptions);
  const maxTimeMS = timeLimitFor(model, options);
  // The problems of a list advise to filter, which is no help here.
  const { readOne: read } = planCommands(model, db, collection, maxTimeMS);
  const readFirstBatch = compileFirstBatch(db, collection);
  return {
    estimate() {
      return read(new Work(), ({ options }) => {
        const given: EstimatedDocumentCountOptions & Abortable = options; // the driver's type does not have the signal
        return collection.estimatedDocumentCount(given);
      });
    },
    async readNext(position, limit) {
      // `$gt` of a filter compares values of one type only; that of an expression uses the index of the id for all
      // types.
      const filter = position === undefined ? {} : { $expr: { $gt: ['$_id', { $literal: position.id }] } };
      const { found } = await read(new Work(), (command) => {
        const { maxTimeMS } = command;
        const body = { find: model.collection, filter: command.handOver(filter), sort: { _id: 1 }, limit, batchSize: limit + 1, maxTimeMS };
        return readFirstBatch(body, command);
      });
      const last = found.at(-1);
      return { found, position: last ? positionAfter(last) : position };
    },
  };
}

/** The stored id of a record. It is read even if another member of the record cannot be. */
export function idOf(bytes: Uint8Array): unknown {
  return BSON.deserialize(bytes, { ...bsonOptions, validation: { utf8: false } })._id;
}

function positionAfter(bytes: Uint8Array): PlaceById {
  try {
    const { _id: id } = BSON.deserialize(bytes, { ...bsonOptions, validation: { utf8: { _id: true } } });
    return { id };
  } catch (cause) {
    // With an id that is read differently than it is stored, the same records would be read for ever.
    throw new Error('The records after one whose id is not valid UTF-8 cannot be read.', { cause });
  }
}
