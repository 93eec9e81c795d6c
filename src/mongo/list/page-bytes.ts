import { ConfigurationError } from '../../errors.ts';

/** As much as one reply of the database holds. */
export const defaultPageBytes = 16 * 1024 * 1024;

const leastPageBytes = 1024;

/** A record and what is included in it are one text, and V8 makes none of half a GiB. */
const mostPageBytes = 256 * 1024 * 1024;

/** Refuses a bound of a page that is none. */
export function checkPageBytes(maxPageBytes: number): void {
  if (Number.isInteger(maxPageBytes) && maxPageBytes >= leastPageBytes && maxPageBytes <= mostPageBytes) return;
  throw new ConfigurationError(`\`maxPageBytes\` must be a whole number of bytes from ${leastPageBytes} to ${mostPageBytes}.`);
}
