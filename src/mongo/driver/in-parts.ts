/** The most ids of one command: ids of the longest kind then have ten of the 16 MiB that a command may have. */
const idsPerCommand = 5_000;

/** Divides items into parts for one command each. */
export function* inParts<T>(items: readonly T[], most: number = idsPerCommand): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += most) yield items.slice(start, start + most);
}
