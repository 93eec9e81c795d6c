import { ConfigurationError } from '../errors.ts';

/** How much longer than the database's own limit a client-side deadline waits: it is for a database that does not answer at all. */
const graceMS = 1000;

/** The longest that a timer of Node waits; a longer one would end at once. */
const longestMS = 2 ** 31 - 1 - graceMS;

/** Refuses a time limit that is none: 0 would mean no limit to the database. */
export function checkTimeLimit(maxTimeMS: number): void {
  if (Number.isInteger(maxTimeMS) && maxTimeMS >= 1 && maxTimeMS <= longestMS) return;
  throw new ConfigurationError(`\`maxTimeMS\` must be a whole number of milliseconds from 1 to ${longestMS}.`);
}

/** Thrown by {@link withDeadline} when the time is over. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * Runs a command with a deadline of the client's own: `maxTimeMS` does not help when the database is frozen, and the driver's `timeoutMS`
 * does nothing in the versions that we support. The signal aborts a read; a write may still be carried out, and its outcome is unknown.
 *
 * Throws {@link DeadlineExceeded} when `maxTimeMS` and a second of grace have passed.
 */
export async function withDeadline<T>(maxTimeMS: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new DeadlineExceeded(`No answer from the database within ${maxTimeMS + graceMS} ms.`);
      reject(error);
      controller.abort(error);
    }, maxTimeMS + graceMS);
  });
  try {
    return await Promise.race([run(controller.signal), deadline]);
  } finally {
    clearTimeout(timer);
  }
}
