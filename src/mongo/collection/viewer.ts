import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Writer } from '../driver/duplicate-key.ts';
import type { Filter } from '../query/filter.ts';
import type { StoredRecord } from '../stored-record.ts';

/** The records of a model, as one resource shows them. */
interface RecordsOf {
  readonly model: CompiledModel;
}

/** The writer: which records the client of a request may name in a reference, and may learn of. */
export interface Viewer extends Writer {
  /** The row filter of what the client may see of a source. Undefined if it may see nothing there. */
  scopeOf(source: RecordsOf): Promise<Filter | undefined>;
  /**
   * Whether the client may write the field of a dotted name. Any other field has a value of the server, which may refer
   * to any record.
   */
  mayWrite(name: string): boolean;
  /** Whether also the values of the server must be records that the client may see. @default false */
  readonly boundsServer?: boolean;
  /** Whether it is the application itself, to which also private references are told. @default false */
  readonly isServer?: boolean;
  /**
   * The field whose reference is named by the path of the request. If it leads nowhere, there is nothing at that path:
   * 404.
   */
  readonly pathField?: string | undefined;
}

/** The most bytes of records that the hooks of one write get: as many as one reply of the database has. */
export const mostHookBytes = 16 * 1024 * 1024;

/**
 * The effect of a delete or a restore on a record that it does not address: it is deleted too, loses a reference, or is
 * restored too.
 */
export type CascadedChange = 'deleted' | 'changed' | 'restored';

/** A record that a delete or a restore has changed, but did not address. */
export interface CascadedRecord {
  readonly source: RecordsOf;
  readonly change: CascadedChange;
  readonly before: StoredRecord;
  /** Undefined if the record was deleted. */
  readonly after: StoredRecord | undefined;
}

/** Observes what a delete or a restore does to records of other models, or of the same one. */
export interface CascadeObserver {
  /** Whether it needs the records of a source that are changed in this way. Otherwise they are not read whole. */
  wants(source: RecordsOf, change: CascadedChange): boolean;
  /** Called in the transaction, after its last command. It is called again if the transaction is tried again. */
  happened(records: readonly CascadedRecord[]): Promise<void>;
}
