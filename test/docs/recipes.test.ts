import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf, fileBlocksOf, pages, root, sourcesIn } from '../support/docs/pages.ts';

const tests = [...sourcesIn('test'), ...sourcesIn('examples')].filter((file) => file.endsWith('.test.ts'));
const texts = tests.map((file) => readFileSync(join(root, file), 'utf8'));
const isNamed = (page: string) => texts.some((text) => text.includes(`'${page}'`));

/** The pages that show the files of a program, which readers copy. */
const recipes = pages.filter((page) => /^docs\/(guides|clients)\//.test(page) && [...fileBlocksOf(page).values()].some(isCode));

function isCode({ file = '', isShown }: { readonly file?: string; readonly isShown: boolean }): boolean {
  return isShown && /\.tsx?$/.test(file);
}

describe('a page that shows the files of a program', () => {
  it('is loaded and run by a test that names it', () => {
    expect(recipes.length).toBeGreaterThan(25);
    expect(recipes.filter((page) => !isNamed(page))).toEqual([]);
  });

  it('is compiled, by the test of all pages or by one that is there', () => {
    const compilers = new Set(recipes.flatMap(blocksOf).flatMap(({ compiledBy }) => compiledBy ?? []));
    expect([...compilers].filter((file) => !tests.includes(file))).toEqual([]);
  });
});
