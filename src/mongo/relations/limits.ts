import { tryAll } from '../../mistakes.ts';
import { aWholeNumber, checkValue, type LegalOptions, orUndefined } from '../../options.ts';
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

/** What is legal for {@link ReferenceLimits}. A transaction with more cascaded records would be too large. */
export const legalReferenceLimits: LegalOptions<ReferenceLimits> = {
  maxCascade: orUndefined(aWholeNumber(0, 10_000, ' of records')),
  maxCleared: orUndefined(aWholeNumber(0, 100_000, ' of records')),
  maxLatches: orUndefined(aWholeNumber(1, mostLatches, ' of latches')),
};

/** Fills in the limits. Throws a `ConfigurationError` that names one with an invalid value. */
export function checkReferenceLimits(limits: ReferenceLimits): Required<ReferenceLimits> {
  const { maxCascade = 1_000, maxCleared = 10_000, maxLatches = 64 } = limits;
  const read = { maxCascade, maxCleared, maxLatches };
  tryAll(
    Object.entries(read).map(
      ([name, value]) =>
        () =>
          checkValue(`\`${name}\``, value, legalReferenceLimits[name as keyof ReferenceLimits]),
    ),
  );
  return read;
}
