import type { DeletedOption } from '../../model/define/deleted-option.ts';

/** The key of `guardsFor` for histories, and the name of the operation. */
export const historyName = 'history';

/** {@link historyName} as a type. */
export type ReadOfHistory = typeof historyName;

/** The option of a resource for the histories of its records. */
export interface OfHistory {
  /**
   * Whether clients may read the changes of a record at `GET <record>/history`, and the record as it was by
   * `GET <record>?at=<revision>`. Both have the guards, scope, hooks and view of get, and then the guards of
   * `guardsFor.history`. The model needs `history`, with all fields of `scopeFields` in its own. See
   * `docs/reference/history.md`.
   * @default false
   */
  readonly history?: boolean;
}

/** Options of `history` of a store. */
export interface HistoryOptions extends DeletedOption {
  /** The most changes to return. @default no limit */
  readonly limit?: number;
}

/** The method of a store for the histories of its records. */
export interface ReadsHistory<Id> {
  /**
   * Reads the changes of a record whose model has `history`, the last one first, at most 500 with each command: those
   * of its present life, of which both states were within the scope. Throws 404 if there is no such record.
   *
   * @example
   * for await (const { at, actor, changes } of orders.history(id)) console.log(at, actor, changes);
   */
  history(id: Id, options?: HistoryOptions): AsyncGenerator<RecordChange, void, undefined>;
}

/** A change of a record. */
export interface RecordChange {
  /** The revision that the change has led to. */
  readonly revision: number | bigint;
  readonly at: Date;
  readonly change: 'created' | 'patched' | 'deleted' | 'restored';
  /** The operation of the request. Missing for a change outside of requests. */
  readonly operation?: string;
  /** Who has made the change, as `by` of the model's `history` says. */
  readonly actor: string | null;
  readonly requestId?: string;
  /** The fields that have changed, without `updatedAt` and without those that are private. */
  readonly changes: readonly FieldChange[];
  /**
   * The names of fields that have changed, and of which no value is kept: they are private, or what has changed in them
   * is.
   */
  readonly private: readonly string[];
}

/** A field that has changed. */
export interface FieldChange {
  /** Its dotted name. It has no steps for the items of arrays, nor for the keys of maps. */
  readonly path: string;
  /** Its value before the change. Missing if there was none. */
  readonly before?: unknown;
  /** Its value after the change. Missing if there is none. */
  readonly after?: unknown;
  /** Stands for a value of more than 64 KiB, which is not kept: whether two of them were the same. */
  readonly beforeDigest?: string;
  readonly afterDigest?: string;
  /** The names of fields of which an id is missing here, because the record that it led to was purged. */
  readonly beforeErased?: readonly string[];
  readonly afterErased?: readonly string[];
}
