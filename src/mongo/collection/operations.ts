import type { Document as BsonDocument } from 'mongodb';
import type { Changes } from '../../model/write/plan-changes.ts';
import type { Work } from '../driver/work.ts';
import type { Deletion } from '../query/deleted.ts';
import type { StoredRecord } from '../stored-record.ts';
import type { ChildrenReads } from './children.ts';
import type { Links } from './elements.ts';
import type { Find } from './find.ts';
import type { ManyInserts } from './insert-many.ts';
import type { Purges } from './purges.ts';
import type { Reads } from './reads.ts';
import type { ReferenceCommands } from './reference-commands.ts';
import type { Steps } from './step.ts';
import type { ManyWrites } from './write-many.ts';
import type { Target, Writer } from './writer.ts';

type Stored = Record<string, unknown>;

/** Options of an insert. */
interface InsertOptions {
  /** Answers 412 instead of 409 if there is a record with this id. @default false */
  readonly ifIdIsFree?: boolean;
  /** @default the application itself */
  readonly writer?: Writer | undefined;
}

/** The record that an upsert is about. */
export type UpsertTarget = Omit<Target, 'precondition'>;

/** The outcome of an upsert. */
interface Upserted {
  readonly record: StoredRecord;
  readonly created: boolean;
}

/** The operations that check no references: the reads, and the commands that the checks themselves use. */
export interface PlainOperations extends Find, Reads, ChildrenReads, ReferenceCommands {}

/**
 * The operations on the records of a collection. Each takes a scope, if it addresses stored records, and the work of
 * the request, which has its deadline, its signal and its transaction: a caller cannot forget them.
 */
export interface Operations extends PlainOperations, ManyInserts, ManyWrites, Links, Steps {
  /** Inserts a record. */
  insert(stored: Stored, work: Work, options?: InsertOptions): Promise<StoredRecord>;
  update(target: Target, changes: Changes, work: Work): Promise<StoredRecord>;
  /**
   * Inserts a record, or replaces the fields of the one with its id that the application may set. A record with this id
   * outside of the scope is 409, as for an insert.
   */
  upsert(target: UpsertTarget, stored: Stored, work: Work): Promise<Upserted>;
  /**
   * Removes a record, or marks it as deleted if its model has `t.deletedAt()`. Returns it as it was before.
   *
   * @default a deletion of its own
   */
  remove(target: Target, work: Work, deletion?: Deletion): Promise<StoredRecord>;
}

/** The write that brings a deleted record back. */
export interface Restores {
  /**
   * Brings a deleted record back. 404 if there is no such record, or if it is not deleted. `clearing` are the stages
   * that remove what has been lost meanwhile.
   *
   * @default none
   */
  restore(target: Target, work: Work, clearing?: readonly BsonDocument[]): Promise<StoredRecord>;
}

/** What a collection does with records. */
export type CollectionWork = Operations & Purges & Restores;

/**
 * Every operation that changes records. `holdAll` is none of them: it changes nothing that anybody sees. A purge is
 * none either: it leaves nothing behind, and erases what the others have left (`mongo/keeps/`).
 */
export const recordedWrites = [
  'insert',
  'insertEach',
  'insertAll',
  'update',
  'step',
  'upsert',
  'updateMany',
  'changeElement',
  'remove',
  'removeMany',
  'removeAll',
  'rewriteAll',
  'restore',
] as const;

/** The operations that change records. */
export type RecordedWrites = Pick<CollectionWork, (typeof recordedWrites)[number]>;
