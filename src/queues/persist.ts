import { setTimeout as pause } from 'node:timers/promises';

/**
 * Writes, and tries again while the database is away, until that is of no use any more: then it returns undefined.
 * `tell` gets the error of each attempt.
 */
export async function persist<T>(write: () => Promise<T>, isOver: () => boolean, tell: (error: unknown) => void): Promise<T | undefined> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      tell(error);
      if (isOver()) return undefined;
      await pause(Math.random() * Math.min(2_000, 100 * 2 ** attempt));
    }
  }
}
