import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Address, readAddress, toPagePath } from '../site/address.ts';
import { listed } from '../site/sidebar.ts';

const readme = join(import.meta.dirname, '../README.md');

/**
 * The README with its links to pages of docs/ absolute, where package.json has a `homepage`: registries show it apart
 * from the files. Without one they lead to the files of the package.
 */
export function linkPages(text: string, { url }: Address): string {
  return text.replace(/\]\(([^)#\s]+)(#[^)]*)?\)/g, (link, to: string, anchor = '') => {
    const path = listed.find((one) => to === `docs/${one}` || (to.startsWith('https://') && to.endsWith(`/${toPagePath(one)}`)));
    if (path === undefined) return link;
    return `](${url === undefined ? `docs/${path}` : `${url}${toPagePath(path)}`}${anchor})`;
  });
}

if (process.argv[1] === import.meta.filename) await writeFile(readme, linkPages(await readFile(readme, 'utf8'), readAddress()));
