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
 * Of several commands in one run, a failure of one aborts the others.
 *
 * Throws {@link DeadlineExceeded} when `maxTimeMS` and a second of grace have passed, and the reason of `gone` when that is aborted: nobody
 * waits for the answer any more.
 */
export async function withDeadline<T>(maxTimeMS: number, run: (signal: AbortSignal) => Promise<T>, gone?: AbortSignal): Promise<T> {
  gone?.throwIfAborted();
  const controller = new AbortController();
  const leave = () => controller.abort(gone?.reason);
  gone?.addEventListener('abort', leave, { once: true });
  const timer = setTimeout(
    () => controller.abort(new DeadlineExceeded(`No answer from the database within ${maxTimeMS + graceMS} ms.`)),
    maxTimeMS + graceMS,
  );
  try {
    return await Promise.race([run(controller.signal), rejectedBy(controller.signal)]);
  } catch (error) {
    controller.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
    gone?.removeEventListener('abort', leave);
  }
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
