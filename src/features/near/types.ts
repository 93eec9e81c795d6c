/** The key of policies for lists of records around a place. */
export interface OfNear {
  /**
   * Whether a list finds the records around a place by this point, and within how many metres at most: from 1 to
   * 20,000,000. It needs an index, which `applyIndexes(api)` creates. See `docs/reference/near.md`.
   * @default none
   *
   * @example
   * t.point({ policy: { near: { maxMetres: 50_000 } } })
   */
  readonly near?: NearPolicy;
}

/** How a list finds records around a place. */
export interface NearPolicy {
  /** The largest radius that a client may ask for, in metres. */
  readonly maxMetres: number;
}
