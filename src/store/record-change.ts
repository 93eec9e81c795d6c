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
