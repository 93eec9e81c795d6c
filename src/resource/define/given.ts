/** A function, and the key that gives it to an operation: `guards`, or such as `guardsFor.change`. */
export interface GivenFunction {
  readonly run: (...args: never[]) => unknown;
  readonly from: string;
}

/** A function that is given several times runs once, where it is named first. */
export function firstOfEach<One extends GivenFunction>(given: readonly One[]): One[] {
  const known = new Set<GivenFunction['run']>();
  return given.filter(({ run }) => !known.has(run) && known.add(run));
}
