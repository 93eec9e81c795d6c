import { aTimeLimit, byDefault, pickOptions } from '../../options.ts';

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

/** How long the database may take, in milliseconds. */
export const timeLimit = { maxTimeMS: byDefault(10_000, aTimeLimit) };

/** Reads the time limit of the database for a model: its own wins. */
export function timeLimitFor(
  model: { readonly maxTimeMS: number | undefined },
  options: { readonly maxTimeMS?: number | undefined },
): number {
  const { maxTimeMS } = pickOptions(options, timeLimit);
  return model.maxTimeMS ?? maxTimeMS;
}
