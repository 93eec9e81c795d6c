import { setTimeout as delay } from 'node:timers/promises';

/**
 * Resolves when something has become true. It asks again and again, because what it waits for tells nobody: a server
 * that frees a place, a database that ends a command. If it never becomes true, the time limit of the test ends it.
 */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await delay(10);
}
