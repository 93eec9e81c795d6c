import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Block, blocksOf, filesOf, pages, root } from '../support/docs/pages.ts';

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** What is wrong with a block, or nothing. TypeScript is compiled by `compile.slow.test.ts`. */
const checks: Readonly<Record<string, (block: Block) => void>> = {
  json: ({ code }) => void JSON.parse(code),
  yaml: ({ code }) => void parse(code),
  sh({ code, page }) {
    const { 'package.json': own = '{}' } = filesOf(page);
    const known = { ...scripts, ...JSON.parse(own).scripts };
    for (const [, name = ''] of code.matchAll(/\bnpm run ([\w:-]+)/g)) expect(Object.keys(known)).toContain(name);
  },
};

describe.each(pages)('the code blocks of %s', (page) => {
  const blocks = blocksOf(page);

  it('are JSON, YAML and scripts that exist', () => {
    const mistakes = blocks.flatMap((block) => {
      try {
        checks[block.language]?.(block);
        return [];
      } catch (error) {
        return [`${page}:${block.line} ${error}`];
      }
    });
    expect(mistakes).toEqual([]);
  });

  it('are files of different names, where they have one', () => {
    const names = blocks.flatMap(({ file }) => file ?? []);
    expect(names).toEqual([...new Set(names)]);
  });

  it('are compiled by a test that reads the page, where it says so', () => {
    const named = blocks.flatMap(({ compiledBy }) => compiledBy ?? []);
    const reads = (test: string) => existsSync(join(root, test)) && readFileSync(join(root, test), 'utf8').includes(page);
    expect(named.filter((test) => !reads(test))).toEqual([]);
  });
});
