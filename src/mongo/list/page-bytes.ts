import { aWholeNumber, checkValue } from '../../options.ts';

/** As much as one reply of the database holds. */
export const defaultPageBytes = 16 * 1024 * 1024;

const leastPageBytes = 1024;

/** A record and what is included in it are one text, and V8 makes none of half a GiB. */
const mostPageBytes = 256 * 1024 * 1024;

/** What is legal for the bound of a page. */
export const aPageBound = aWholeNumber(leastPageBytes, mostPageBytes, ' of bytes');

/** Checks the bound of a page. */
export function checkPageBytes(maxPageBytes: number): void {
  checkValue('`maxPageBytes`', maxPageBytes, aPageBound);
}
