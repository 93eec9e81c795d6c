import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { titlesOf } from '../../dev/threats/titles-of.ts';
import { threatsPage } from '../../dev/threats/write-page.ts';
import { root } from '../support/docs/pages.ts';

describe('docs/about/threats.md', () => {
  it('has for each threat the tests that hold against it: `npm run threats` writes it anew', () => {
    expect(readFileSync(join(root, 'docs/about/threats.md'), 'utf8')).toBe(threatsPage());
  });

  it('fails where a threat has no test, or one that there is not', () => {
    const tests = { 'docs/threats.test.ts': ['docs/about/threats.md fails where a threat has no test, or one that there is not', 'gone'] };
    const threats = [
      { threat: 'opens a door', tests },
      { threat: 'opens a window', tests: {} },
    ];
    expect(() => threatsPage([{ who: 'Somebody', threats }])).toThrow(/:\ntest\/docs\/threats\.test\.ts: gone\nopens a window$/);
  });
});

describe('titlesOf', () => {
  it('finds tests and tables of tests behind their blocks, and no title that is computed', () => {
    const text = `
      describe('a', () => {
        it('b', () => {});
        describe.each([1])('c %s', () => { it.each<number>([2])(\`d %i\`, () => {}); });
        it(name, () => {});
      });
      it('e', () => {});`;
    expect(titlesOf(text)).toEqual(['a b', 'a c %s d %i', 'e']);
  });
});

describe('the dependencies', () => {
  it('each have a row that says why they are there, who keeps them, and what would replace them', () => {
    const { dependencies }: { readonly dependencies: object } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const page = readFileSync(join(root, 'docs/about/compatibility.md'), 'utf8');
    const [, table = ''] = /\n\| Dependency \| [^\n]*\n([\s\S]*?)\n\n/.exec(page) ?? [];
    const rows = table
      .split('\n')
      .slice(1)
      .map((line) =>
        line
          .split('|')
          .map((cell) => cell.trim())
          .slice(1, -1),
      );
    const named = rows.flatMap(([names = '']) => Array.from(names.matchAll(/`([^`]+)`/g), ([, name]) => name));
    expect(named.sort()).toEqual(Object.keys(dependencies).sort());
    for (const row of rows) expect([row, row.length, row.every((cell) => cell !== '')]).toEqual([row, 5, true]);
  });
});
