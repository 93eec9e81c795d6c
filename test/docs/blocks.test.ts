import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
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
    for (const block of blocks) {
      try {
        checks[block.language]?.(block);
      } catch (error) {
        throw new Error(`${page}:${block.line}`, { cause: error });
      }
    }
  });

  it('are files of different names, where they have one', () => {
    const names = blocks.flatMap(({ file }) => file ?? []);
    expect(names).toEqual([...new Set(names)]);
  });

  it('are compiled by a test that reads the page, where it says so', () => {
    for (const test of new Set(blocks.flatMap(({ compiledBy }) => compiledBy ?? []))) {
      expect([test, existsSync(join(root, test))]).toEqual([test, true]);
      expect(readFileSync(join(root, test), 'utf8')).toContain(page);
    }
  });
});
