import { ConfigurationError } from '../../errors.ts';

/** How much longer than the database's own limit a client-side deadline waits: it is for a database that does not answer at all. */
export const graceMS = 1000;

/** The longest that a timer of Node waits; a longer one would end at once. */
const longestMS = 2 ** 31 - 1 - graceMS;

/** Refuses an invalid time limit. 0 would mean no limit to the database. */
export function checkTimeLimit(ms: number, name = 'maxTimeMS'): void {
  if (Number.isInteger(ms) && ms >= 1 && ms <= longestMS) return;
  throw new ConfigurationError(`\`${name}\` must be a whole number of milliseconds from 1 to ${longestMS}.`);
}
