import { askWithin } from '../mongo/driver/ask-within.ts';
import { isServerError } from '../mongo/driver/server-error.ts';

/**
 * Reads something that a plan needs. Throws an Error that says that `what` cannot be read if the database does not
 * answer in time.
 */
export async function askDatabase<T>(what: string, maxTimeMS: number, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await askWithin(maxTimeMS, read);
  } catch (cause) {
    if (isServerError(cause)) throw cause; // the database has answered, with an error
    const why = cause instanceof Error ? `: ${cause.message}` : '.';
    throw new Error(`${what} cannot be read, because the database does not answer${why}`, { cause });
  }
}
