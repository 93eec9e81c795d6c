import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { linkPages } from '../../dev/write-readme-links.ts';
import { readAddress } from '../../site/address.ts';
import { root } from '../support/docs/pages.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const { files }: { readonly files: readonly string[] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/**
 * Whether `files` of package.json has a file, or a folder around it, and none of its patterns leaves it out: a folder,
 * and the end of names in it.
 */
function isPacked(file: string): boolean {
  const patterns = files.filter((entry) => entry.startsWith('!')).map((entry) => entry.slice(1).split('/**/'));
  const isLeftOut = patterns.some(([folder, name = '']) => file.startsWith(`${folder}/`) && file.endsWith(name.replace('*', '')));
  return !isLeftOut && files.some((entry) => `${file}/`.startsWith(`${entry}/`));
}

describe('the README', () => {
  it('has less than 900 words', () => {
    // The bars of tables and the braces of code are no words.
    const words = readme.split(/\s+/).filter((text) => /\w/.test(text));
    expect(words.length).toBeLessThan(900);
  });

  it('leads to the site where package.json has a `homepage`, and to files of the package otherwise: `npm run readme`', () => {
    expect(linkPages(readme, readAddress())).toBe(readme);
    const relative = [...readme.matchAll(/\]\((?!https:)([^)#\s]+)/g)].map(([, to = '']) => to);
    for (const to of relative) expect([to, existsSync(join(root, to)), isPacked(to)]).toEqual([to, true, true]);
  });

  it('would lead to another address, and back', () => {
    const text = '[a](docs/start/why.md#x), [b](docs/start/tutorial/index.md), [c](https://heyapi.dev), [d](LICENSE)';
    const absolute = linkPages(text, readAddress('https://one.example/docs'));
    expect(absolute).toBe(
      '[a](https://one.example/docs/start/why.html#x), [b](https://one.example/docs/start/tutorial/), [c](https://heyapi.dev), [d](LICENSE)',
    );
    expect(linkPages(absolute, readAddress('https://two.example'))).toContain('](https://two.example/start/why.html#x)');
    expect(linkPages(absolute, readAddress(''))).toBe(text);
  });
});
