import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withLock } from './lock.ts';
import { runVisibly } from './run.ts';

/** Whether this user may install packages of Debian. */
export const mayInstall = process.platform === 'linux' && process.getuid?.() === 0;

/**
 * Installs packages of Debian, without what they recommend. Processes wait for each other: the second `apt-get` at a
 * time would fail.
 */
export async function installPackages(names: readonly string[]): Promise<void> {
  await withLock(
    join(tmpdir(), 'koa-mongo-resource-apt-get.lock'),
    () => {},
    async () => {
      await runVisibly('apt-get', ['update']);
      await runVisibly('apt-get', ['install', '--yes', '--no-install-recommends', ...names]);
    },
  );
}
