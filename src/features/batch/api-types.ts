/** Limits of a batch. */
export interface BatchOptions {
  /** How many operations a batch may have, up to 1,000. More are answered with 422. @default 100 */
  readonly maxOperations?: number;
  /** Largest body of a batch, in bytes. A larger one is answered with 413. @default `maxBody` */
  readonly maxBytes?: number;
  /**
   * Largest answer of a batch, in bytes, from 1,024 to 268,435,456. If it would be larger, nothing is written, and the
   * answer is 413. The records of operations without a body in their answer, such as deletes, count too.
   * @default 16 MiB (16,777,216)
   */
  readonly maxAnswerBytes?: number;
}

/** The option of an api for batches. */
export interface OfBatches {
  /**
   * Serves `POST <prefix>/batch`: several writes of the api in one transaction, all or nothing. It needs a replica set.
   * See `docs/reference/batch.md`.
   * @default false
   */
  readonly batch?: boolean | BatchOptions;
}
