import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Longer than any download should take: a lock of another machine (a shared home folder) counts as left behind after
 * it.
 */
const longestHoldMs = 15 * 60_000;

/**
 * Runs `work` while this process holds the lock file, and waits for its turn; a lock whose process is gone is taken
 * over.
 *
 * It saves a second download and nothing else: two processes that take over the same abandoned lock at once may both
 * run, so `work` must be correct without it.
 */
export async function withLock<T>(path: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
  await acquire(path, onWait);
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function acquire(path: string, onWait: () => void): Promise<void> {
  for (let waited = false; !(await create(path)); waited = true) {
    if (await isAbandoned(path)) {
      await rm(path, { force: true });
      continue;
    }
    if (!waited) onWait();
    await delay(100);
  }
}

async function create(path: string): Promise<boolean> {
  try {
    await writeFile(path, `${process.pid} ${hostname()}`, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    const [pid, host] = (await readFile(path, 'utf8')).split(' ');
    if (host === hostname()) return !isAlive(Number(pid));
    return Date.now() - (await stat(path)).mtimeMs > longestHoldMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false; // its holder has just finished
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // alive, and somebody else's
  }
}
