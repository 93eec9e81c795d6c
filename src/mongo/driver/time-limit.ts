import { aWholeNumber, checkValue } from '../../options.ts';

/** How much longer than the database's own limit a client-side deadline waits: it is for a database that does not answer at all. */
export const graceMS = 1000;

/** The longest that a timer of Node waits; a longer one would end at once. */
const longestMS = 2 ** 31 - 1 - graceMS;

/** What is legal for a time limit. 0 would mean no limit to the database. */
export const aTimeLimit = aWholeNumber(1, longestMS, ' of milliseconds');

/** Checks a time limit. */
export function checkTimeLimit(ms: number, name = 'maxTimeMS'): void {
  checkValue(`\`${name}\``, ms, aTimeLimit);
}
