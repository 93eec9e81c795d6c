import type { Work } from '../driver/work.ts';
import type { StoredRecord } from '../stored-record.ts';
import type { Find } from './find.ts';
import type { ManyInserts } from './insert-many.ts';
import type { Reads } from './reads.ts';
import type { ReferenceCommands } from './reference-commands.ts';
import type { RelatedReads } from './related.ts';
import type { ManyWrites } from './write-many.ts';
import type { WriteOne } from './write-one.ts';
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

/**
 * The operations on the records of a collection. Each takes what it reaches, if it addresses stored records, and the
 * work of the request, which has its deadline, its signal and its transaction: a caller cannot forget them.
 */
export interface Operations extends Find, Reads, RelatedReads, ReferenceCommands, ManyInserts, ManyWrites, WriteOne {
  /** Inserts a record. */
  insert(stored: Stored, work: Work, options?: InsertOptions): Promise<StoredRecord>;
  /**
   * Inserts a record, or replaces the fields of the one with its id that the application may set. A record with this id
   * outside of the scope is 409, as for an insert.
   */
  upsert(target: UpsertTarget, stored: Stored, work: Work): Promise<Upserted>;
}

/**
 * Every operation that changes records. `holdAll` is none of them: it changes nothing that anybody sees. A purge is
 * none either: it leaves nothing behind, and erases what the others have left (`mongo/keeps/`).
 */
export const recordedWrites = [
  'insert',
  'insertEach',
  'insertAll',
  'write',
  'upsert',
  'updateMany',
  'removeMany',
  'removeAll',
  'rewriteAll',
] as const;

/** The operations that change records. */
export type RecordedWrites = Pick<Operations, (typeof recordedWrites)[number]>;
