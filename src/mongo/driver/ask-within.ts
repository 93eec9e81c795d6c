/**
 * Asks the database something that belongs to no request: rejects when `limitMS` have passed, whether the driver has heard of the signal by
 * then or not.
 */
export async function askWithin<T>(limitMS: number, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const over = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  const timer = setTimeout(() => controller.abort(new Error(`No answer from the database within ${limitMS} ms.`)), limitMS);
  try {
    return await Promise.race([ask(signal), over]);
  } finally {
    clearTimeout(timer);
  }
}
