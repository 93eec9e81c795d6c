/** A part of the code, and the random tests that should notice a fault in it. */
export interface Area {
  /** Where faults are planted: paths in `src/`. */
  readonly files?: readonly string[];
  /** Faults that are chosen instead, because an arbitrary one says nothing of what the tests are about. */
  readonly faults?: readonly ChosenFault[];
  /** The tests, in `test/`. */
  readonly tests: readonly string[];
}

/** A file, a text that is there once, and what it becomes. */
type ChosenFault = readonly [file: string, was: string, is: string];
