import type { ChangeEvent } from './change.ts';

/** The part of the driver's change stream that is used here. */
export interface Events {
  /** Resolves to null if the database has answered that there is no event yet, or that there will be none. */
  tryNext(): Promise<ChangeEvent | null>;
  /** Version 6 of the driver does not have it. */
  bufferedCount?(): number;
  readonly closed: boolean;
  close(): Promise<void>;
}

/** For how long the database waits for an event before it answers that there is none, in milliseconds. */
export const answersEveryMS = 1_000;

/**
 * Reads the next event of a change stream. Undefined stands for the answer that there is none yet. Rejects if the
 * database has not answered for `staleAfter()` milliseconds. An idle stream answers every second: the connection of
 * this one is dead, even though nobody has closed it. Only the time counts in which an answer is awaited.
 */
export async function nextEvent(stream: Events, staleAfter: () => number): Promise<ChangeEvent | undefined> {
  if (stream.bufferedCount?.()) return (await stream.tryNext()) ?? undefined;
  const stale = new AbortController();
  const asked = performance.now();
  const timer = setInterval(() => {
    const limit = staleAfter(); // it may have become shorter meanwhile
    if (performance.now() - asked >= limit) stale.abort(new Error(`The change stream has not answered within ${limit} ms.`));
  }, answersEveryMS);
  try {
    const event = await Promise.race([answerOf(stream, stale.signal), whenAborted(stale.signal)]);
    if (!event && stream.closed) throw new Error('The database has ended the change stream.');
    return event ?? undefined;
  } finally {
    clearInterval(timer);
  }
}

function answerOf(stream: Events, signal: AbortSignal): Promise<ChangeEvent | null> {
  makeAbortable(stream, signal);
  return stream.tryNext();
}

/** The driver may not react to the signal. */
function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

/**
 * Has the driver close the connection of the next command of a cursor if the signal is aborted. A `getMore` takes its
 * options from those of its cursor, and a change stream has no option for a signal. A driver that keeps them elsewhere
 * leaves a dead connection in its pool until the operating system gives it up.
 */
function makeAbortable(stream: Events, signal: AbortSignal): void {
  const { cursor } = stream as { readonly cursor?: { readonly cursorOptions?: object } };
  if (cursor?.cursorOptions) Object.assign(cursor.cursorOptions, { signal });
}
