import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installOnce } from '../../dev/install-once.ts';
import { useTemporaryFolder } from '../support/temporary-folder.ts';

const noLog = () => {};

describe('installOnce', () => {
  const cache = useTemporaryFolder();
  const target = () => join(cache.path, 'program');

  it('makes a folder once, with all that is in it', async () => {
    let made = 0;
    const make = async (folder: string) => {
      await writeFile(join(folder, 'file'), String(++made));
      return folder;
    };
    await installOnce(target(), 'program', noLog, make);
    await installOnce(target(), 'program', noLog, make);
    expect(await readFile(join(target(), 'file'), 'utf8')).toBe('1');
    expect(await readdir(cache.path)).toEqual(['program']);
  });

  it('keeps the folder that another process has made in the meantime, past the lock', async () => {
    await installOnce(target(), 'program', noLog, async (folder) => {
      await writeFile(join(folder, 'file'), 'ours');
      await mkdir(target());
      await writeFile(join(target(), 'file'), 'theirs');
      return folder;
    });
    expect(await readFile(join(target(), 'file'), 'utf8')).toBe('theirs');
    expect(await readdir(cache.path)).toEqual(['program']);
  });

  it('leaves nothing if what it should keep is not there', async () => {
    await expect(installOnce(target(), 'program', noLog, async (folder) => join(folder, 'file'))).rejects.toThrow(/^ENOENT/);
    expect(await readdir(cache.path)).toEqual([]);
  });
});
