import { spawnSync } from 'node:child_process';
import { access, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { withLock } from '../../dev/lock.ts';
import { useTemporaryFolder } from '../support/temporary-folder.ts';

describe('withLock', () => {
  const folder = useTemporaryFolder();
  const lock = () => join(folder.path, 'a.lock');
  const neverWaits = () => {
    throw new Error('has waited');
  };

  it('runs one after the other, and says once that it waits', async () => {
    const events: string[] = [];
    const work = (name: string) => async () => {
      events.push(`${name} begins`);
      await new Promise(setImmediate);
      events.push(`${name} ends`);
    };
    await Promise.all([
      withLock(lock(), () => events.push('a waits'), work('a')),
      withLock(lock(), () => events.push('b waits'), work('b')),
    ]);
    const first = events.find((event) => event.endsWith('begins'))?.[0];
    const second = first === 'a' ? 'b' : 'a';
    expect(events.filter((event) => !event.endsWith('waits'))).toEqual([
      `${first} begins`,
      `${first} ends`,
      `${second} begins`,
      `${second} ends`,
    ]);
    expect(events.filter((event) => event.endsWith('waits'))).toEqual([`${second} waits`]);
  });

  it('leaves no lock behind, also when the work fails', async () => {
    const failure = new Error('no');
    await expect(withLock(lock(), neverWaits, () => Promise.reject(failure))).rejects.toBe(failure);
    await expect(access(lock())).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await withLock(lock(), neverWaits, async () => 1)).toBe(1);
  });

  it('takes over the lock of a process that is gone', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    await writeFile(lock(), `${pid} ${hostname()}`);
    expect(await withLock(lock(), neverWaits, async () => 1)).toBe(1);
  });

  it.each(['1 another-machine', ''])('takes over an old lock of unknown owner (%j)', async (content) => {
    await writeFile(lock(), content);
    await utimes(lock(), 0, 0);
    expect(await withLock(lock(), neverWaits, async () => 1)).toBe(1);
  });
});
