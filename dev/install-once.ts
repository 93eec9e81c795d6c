import { access, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withLock } from './lock.ts';
import type { Log } from './log.ts';

const prefix = '.unpack-';

/**
 * Makes a file or a folder of the cache, unless it is there. `make` works in an empty folder beside it, and returns the
 * path of what it has made there, or the folder itself.
 *
 * One atomic rename makes the result visible: several processes at once, or one that is killed, leave either nothing or
 * all of it.
 */
export async function installOnce(target: string, what: string, log: Log, make: (folder: string) => Promise<string>): Promise<void> {
  const cache = dirname(target);
  await mkdir(cache, { recursive: true });
  const onWait = () => log(`${what}: waiting for another process that is fetching it`);
  await withLock(`${target}.lock`, onWait, async () => {
    if (await exists(target)) return;
    await removeLeftovers(cache);
    const folder = await mkdtemp(join(cache, prefix));
    try {
      await rename(await make(folder), target).catch(async (error) => {
        if (!(await exists(target))) throw error; // another process that did not see the lock has made the same folder
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

/** A killed process leaves its folder behind. An hour is long enough that nobody works in it. */
async function removeLeftovers(cache: string): Promise<void> {
  const hourAgo = Date.now() - 3_600_000;
  for (const name of await readdir(cache)) {
    const path = join(cache, name);
    if (name.startsWith(prefix) && (await stat(path)).mtimeMs < hourAgo) await rm(path, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
