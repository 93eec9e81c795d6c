// @ts-check
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What is not done, and why: a sentence for the user. */
export class Refusal extends Error {}

const template = join(import.meta.dirname, 'template');

/**
 * In the template, a file that npm would leave out of the package, or read itself, and one that Biome would read here,
 * has another name.
 */
const renamed = new Map([
  ['_gitignore', '.gitignore'],
  ['_biome.json', 'biome.json'],
]);

/**
 * Writes the app into a folder, which is new, empty, or a new Git repository.
 *
 * @param {string} folder
 * @param {{ name: string, database: string }} names
 * @returns {Promise<string[]>} the paths of the files
 */
export async function writeApp(folder, { name, database }) {
  await requireEmpty(folder);
  const entries = await readdir(template, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const written = [];
  for (const file of files.sort()) {
    const path = file.slice(template.length + 1);
    const text = await readFile(file, 'utf8');
    const target = join(folder, renamed.get(path) ?? path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(
      target,
      text.replace(/my-app|my_app/g, (found) => (found === 'my-app' ? name : database)),
      { flag: 'wx' },
    );
    written.push(target);
  }
  return written;
}

/** @param {string} folder */
async function requireEmpty(folder) {
  const found = await stat(folder).catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!found.isDirectory()) throw new Refusal(`${folder} is a file: name a new or empty folder.`);
  const names = (await readdir(folder)).filter((name) => name !== '.git');
  if (names.length === 0) return;
  const shown = [...names.slice(0, 3), ...(names.length > 3 ? [`${names.length - 3} more`] : [])];
  throw new Refusal(`${folder} is not empty (${shown.join(', ')}), and nothing is overwritten: name a new or empty folder.`);
}
