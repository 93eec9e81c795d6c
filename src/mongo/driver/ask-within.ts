/**
 * Sends a command that belongs to no request. Rejects after `limitMS` milliseconds, even if the driver does not react
 * to the signal.
 */
export async function askWithin<T>(limitMS: number, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const timedOut = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  const timer = setTimeout(() => controller.abort(new Error(`No answer from the database within ${limitMS} ms.`)), limitMS);
  try {
    return await Promise.race([ask(signal), timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
