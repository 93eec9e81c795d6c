/** The option of an api for its exports. */
export interface LimitsExports {
  /**
   * How many exports may be under way at the same time; the next one is answered with 503. They take no places of
   * `maxConcurrency` while they stream.
   * @default 10
   */
  readonly maxStreams?: number;
}
