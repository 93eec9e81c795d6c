import type { AuditedMisfit, UnknownKey } from './tally.ts';

/** The findings of an audit so far. They are plain JSON. */
export interface Audit {
  readonly model: string;
  readonly collection: string;
  /** Whether all records were compared. */
  readonly isComplete: boolean;
  /** How many records were compared. */
  readonly records: number;
  /** About how many records the collection had when the audit began. */
  readonly estimate: number;
  /** How many of the records do not fit the model. */
  readonly misfitting: number;
  /**
   * How many records have an id of each BSON type, by `$type` names. No path addresses those of another type than the
   * model's, which are misfits of `id`.
   */
  readonly idTypes: Readonly<Record<string, number>>;
  /** The misfits by path and rule, the most frequent first. At most 1,000. */
  readonly misfits: readonly AuditedMisfit[];
  /** Stored keys that are not fields, which the model ignores. At most 1,000. */
  readonly unknownKeys: readonly UnknownKey[];
  /** How many misfits and unknown keys were found beyond these limits. */
  readonly omitted: number;
}
