import type { Db, ObjectId } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Work } from '../driver/work.ts';

/** What is known of a database in which something of records may be kept. */
export interface Known {
  readonly db: Db;
  readonly maxTimeMS: number;
  /** All known models. */
  readonly models: readonly CompiledModel[];
}

/** Records of one collection that are gone for good. */
export interface Gone {
  /** Every known model of the collection: a record may have been written by any of them. */
  readonly models: readonly CompiledModel[];
  /** The ids as they are stored. */
  readonly ids: readonly unknown[];
  /**
   * The removal that purges them. It follows the references to them, and remembers their ids for so long. Undefined if
   * there is none.
   */
  readonly removal?: ObjectId | undefined;
}

/** The records of a collection, whichever they are. */
export type Purged = Pick<Gone, 'models'>;

/**
 * A collection in which the library keeps something of records beside them. Whatever keeps some declares it here: a
 * purge and `forgetActor` walk the list of all of them.
 */
export interface Keep {
  readonly collection: string;
  /** Whether its documents name in `actor` who has changed a record. */
  readonly namesActors: boolean;
  /** Whether it may keep something of records of these models. */
  concerns(purged: Purged): boolean;
  /** Removes what it keeps of records, in the transaction that removes them. */
  erase(gone: Gone, work: Work): Promise<void>;
  /** How it also names the records in what it keeps of others. Undefined if it never does. */
  readonly mentions?: Mentions | undefined;
}

/** The ids of records in what is kept of others. There may be any number of them, so they are removed in parts. */
export interface Mentions {
  /** Whether there may be ids of records of these models. */
  concerns(purged: Purged): boolean;
  /**
   * Removes the ids from at most so many documents, in the transaction of the work. Returns how many documents it has
   * changed: none if nothing is left.
   */
  erase(gone: Gone, most: number, work: Work): Promise<number>;
}

/** Some records that a purge has found, by their stored ids. */
export interface Batch {
  readonly found: readonly unknown[];
}

/** All that is kept of records beside them. */
export interface Keeps {
  readonly all: readonly Keep[];
  /** Runs a purge of records of a model in a transaction which erases what is kept of those that it returns. */
  eraseWith<T extends Batch>(model: CompiledModel, work: Work, run: () => Promise<T>, removal?: Gone['removal']): Promise<T>;
  /** Whether records of a collection may be named in what is kept of others. */
  areMentioned(collection: string): boolean;
  /** Erases these names from at most so many documents, in the transaction of the work. Returns how many it changed. */
  eraseMentions(collection: string, ids: readonly unknown[], most: number, work: Work): Promise<number>;
  /** Erases all of them, in as many transactions as that takes. */
  eraseAllMentions(model: CompiledModel, ids: readonly unknown[], work: () => Work): Promise<void>;
}

/** The names of models. */
export function namesOf({ models }: Purged): string[] {
  return [...new Set(models.map(({ name }) => name))];
}
