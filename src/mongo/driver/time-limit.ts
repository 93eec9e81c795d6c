import { aTimeLimit, checkValue } from '../../options.ts';

/**
 * How much longer our deadline is than the database's own, in milliseconds. Ours is for a database that does not answer
 * at all. {@link aTimeLimit} leaves room for it.
 */
export const graceMS = 1000;

/** The database has not answered a command within its time limit and {@link graceMS}. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** No server that could take the command has been known for more than a second. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway';
}

/** The commands of a request have taken all of its time. The database has answered each of them. */
export class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent';
}

/** Checks a time limit. */
export function checkTimeLimit(ms: number, name = 'maxTimeMS'): void {
  checkValue(`\`${name}\``, ms, aTimeLimit);
}
