import type { Db } from 'mongodb';
import { aNumberOfDays, anObject, aWholeNumber, byDefault, milliseconds } from '../options.ts';

/** When a row that has failed is tried again, in milliseconds. */
export interface RetryOptions {
  /** The longest pause before the second attempt. Each further one is up to twice as long. @default 1,000 */
  readonly first?: number;
  /** The longest pause of all. @default 43,200,000 (12 hours) */
  readonly longest?: number;
  /** After so much time since the first attempt, the next failure makes a dead letter. @default 259,200,000 (3 days) */
  readonly for?: number;
}

const day = 86_400_000;

/** How a queue works, with the defaults. */
export const queueOptions = {
  concurrency: byDefault(10, aWholeNumber(1, 1_000, ' of events')),
  lease: byDefault(30_000, milliseconds(1_000)),
  retry: anObject('an object of first, longest, for'),
  keep: byDefault<`${number}d`>('30d', aNumberOfDays('30d')),
  poll: byDefault(5_000, milliseconds(100)),
};

/** For how long rows are kept, in milliseconds. */
export function millisecondsOf(keep: `${number}d`): number {
  return Number.parseInt(keep, 10) * day;
}

/** What is legal for {@link RetryOptions}, with the defaults. */
export const legalRetry = {
  first: byDefault(1_000, milliseconds(1)),
  longest: byDefault(day / 2, milliseconds(1)),
  for: byDefault(3 * day, aWholeNumber(0, undefined, ' of milliseconds')),
};

/** For how long the handlers that are under way are waited for. */
export const legalClose = { timeout: byDefault(10_000, milliseconds(0)) };

/** What a queue tells of. */
export type QueueObservation<Row> =
  | (Handled<Row> & { readonly kind: 'delivered' })
  | (Handled<Row> & { readonly kind: 'failed'; readonly error: unknown; readonly retryIn: number })
  | (Handled<Row> & { readonly kind: 'dead'; readonly error: unknown })
  | (Handled<Row> & { readonly kind: 'lost' })
  | { readonly kind: 'error'; readonly error: unknown };

/** One run of a handler, and how long it has taken, in milliseconds. */
export interface Handled<Row> {
  readonly row: Row;
  readonly attempt: number;
  readonly duration: number;
}

/** What `handle` gets beside the row. */
export interface Attempt {
  /** Is aborted when the lease was lost, so that another worker may have the row, and when the worker has to stop. */
  readonly signal: AbortSignal;
  /** How often the row was tried, with this time. */
  readonly attempt: number;
}

/** Settings of a {@link Queue}. */
export interface QueueOptions<Row> {
  readonly db: Db;
  readonly collection: string;
  /**
   * Fields that together name a line. The rows of a line are handled one after the other, and lines at the same time.
   */
  readonly line: readonly string[];
  /** The field by whose values the rows of a line are in order. */
  readonly sequence: string;
  /**
   * Handles a row. It may get the same row more than once. If it throws, the row is tried again later, but for a
   * `PermanentFailure`, which makes it a dead letter at once.
   */
  handle(row: Row, given: Attempt): Promise<void>;
  /** How many rows are handled at the same time. @default 10 */
  readonly concurrency?: number;
  /**
   * For how long a worker has a row, in milliseconds, before another one may take it. It is renewed.
   *
   * @default 30,000
   */
  readonly lease?: number;
  readonly retry?: RetryOptions;
  /** How long delivered rows are kept: `'30d'` are 30 days. @default '30d' */
  readonly keep?: `${number}d`;
  /** The mean time between two looks that no change has caused, in milliseconds. @default 5,000 */
  readonly poll?: number;
  /** If it fails, the process is warned. */
  readonly observe?: (what: QueueObservation<Row>) => unknown;
}

/** What `handle` throws if a row has to wait without having been tried. */
export class Postponed extends Error {
  override readonly name = 'Postponed';

  /** In milliseconds. */
  readonly pause: number;

  constructor(pause: number) {
    super('It is not its time.');
    this.pause = pause;
  }
}
