import { aWholeNumber, byDefault } from '../../options.ts';
import { mostLatches } from './check/latches/latch.ts';

/** Limits of references with `onDelete`. */
export interface ReferenceLimits {
  /**
   * The most records that a delete may take along, because they refer by `onDelete: 'cascade'` to those that it
   * addresses; up to 10,000. If there are more, nothing is deleted, and the answer is 409. @default 1,000
   */
  readonly maxCascade?: number;
  /**
   * The most records that a delete may remove references from (`onDelete: 'nullify'` and `'pull'`), up to 100,000. If
   * there are more, nothing is deleted, and the answer is 409. Records that hooks see count for `maxCascade` instead.
   * @default 10,000
   */
  readonly maxCleared?: number;
  /**
   * The most latches of a record that references with `onDelete` lead to, up to 1,000: so many transactions of a
   * process can refer to it at the same time, and others wait. Each is a document of `reference_latches`, which a
   * delete of the record removes. Processes may have different numbers; of several apis of a process, the largest
   * counts. @default 64
   */
  readonly maxLatches?: number;
}

/** The limits, with their defaults. A transaction with more cascaded records would be too large. */
export const referenceLimits = {
  maxCascade: byDefault(1_000, aWholeNumber(0, 10_000, ' of records')),
  maxCleared: byDefault(10_000, aWholeNumber(0, 100_000, ' of records')),
  maxLatches: byDefault(64, aWholeNumber(1, mostLatches, ' of latches')),
};
