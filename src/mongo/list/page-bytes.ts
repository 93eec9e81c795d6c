import { aWholeNumber, byDefault } from '../../options.ts';

const leastPageBytes = 1024;

/** A record with its included records may become one string, which V8 limits to half a GiB. */
const mostPageBytes = 256 * 1024 * 1024;

/** The bound of a page: by default the size of the largest reply of the database. */
export const aPageBound = byDefault(16 * 1024 * 1024, aWholeNumber(leastPageBytes, mostPageBytes, ' of bytes'));

/** How many of the first of these records fit into so many bytes together. */
export function countFitting(sizes: readonly { readonly bytes: number }[], maxBytes: number): number {
  let left = maxBytes;
  for (const [index, { bytes }] of sizes.entries()) {
    left -= Number(bytes);
    if (left < 0) return index;
  }
  return sizes.length;
}
