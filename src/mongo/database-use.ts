import { AsyncLocalStorage } from 'node:async_hooks';

/** What the library has asked of the database for one request. */
export interface DatabaseUse {
  /** Milliseconds that commands took, all added up, those that ran at the same time too. */
  databaseTime: number;
  commandCount: number;
}

// Passed on beside the calls and not through them: a store's functions are plain, and most apis do not observe.
const ofRequest = new AsyncLocalStorage<DatabaseUse>();

/** Runs a request's chain; what its commands cost is added to `use`. */
export function withDatabaseUse<T>(use: DatabaseUse, run: () => T): T {
  return ofRequest.run(use, run);
}

/** Runs one command, and adds what it cost to the request that it is for. */
export async function countCommand<T>(run: () => Promise<T>): Promise<T> {
  const use = ofRequest.getStore();
  if (!use) return run();
  const begun = performance.now();
  use.commandCount++;
  try {
    return await run();
  } finally {
    use.databaseTime += performance.now() - begun;
  }
}
