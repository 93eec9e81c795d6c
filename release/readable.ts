import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Lets everybody read what npm packs, which is a part of `prepack`: npm takes the permissions of files into the
 * tarball, so that a checkout under another umask would be packed to other bytes, and installed for its owner only.
 */
const root = join(import.meta.dirname, '..');
const { files } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { files: string[] };
for (const name of ['package.json', 'README.md', 'LICENSE', ...files.filter((file) => !file.startsWith('!'))]) {
  const path = join(root, name);
  const isFolder = (await stat(path)).isDirectory();
  const below = isFolder ? await readdir(path, { recursive: true, withFileTypes: true }) : [];
  const packed = isFolder ? below.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)) : [path];
  for (const file of packed) await chmod(file, (await stat(file)).mode | 0o444);
}
