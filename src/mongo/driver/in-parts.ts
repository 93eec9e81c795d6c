/** The most ids of one command: ids of the longest kind then have ten of the 16 MiB that a command may have. */
const idsPerCommand = 5_000;

/** The size of items, in any unit, and the most of one part. An item that is larger is a part alone. */
export interface Sizes<T> {
  readonly most: number;
  of(item: T): number;
  /** A bound of the size of an item that is cheaper to tell. @default none */
  mostOf?(item: T): number;
}

/** Divides items into parts for one command each. */
export function* inParts<T>(items: readonly T[], most: number = idsPerCommand, sizes?: Sizes<T>): Generator<readonly T[]> {
  for (let start = 0; start < items.length; ) {
    const next = items.slice(start, start + most);
    const part = sizes ? next.slice(0, countFitting(next, sizes)) : next;
    yield part;
    start += part.length;
  }
}

function countFitting<T>(items: readonly T[], { most, of, mostOf }: Sizes<T>): number {
  if (mostOf && items.reduce((sum, item) => sum + mostOf(item), 0) <= most) return items.length;
  let size = 0;
  const end = items.findIndex((item, index) => {
    size += of(item);
    return index > 0 && size > most;
  });
  return end === -1 ? items.length : end;
}
