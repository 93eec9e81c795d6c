import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { middlewareNames } from './exported-functions.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
describe('every middleware that is exported', () => {
  it.each(middlewareNames)('has a row in docs/reference/middleware.md, with all five columns: %s', (name) => {
    const rows = read('docs/reference/middleware.md')
      .split('\n')
      .filter((line) => line.startsWith(`| \`${name}(`));
    expect(rows.map((row) => row.split(' |').length)).toEqual([6]);
  });

  it.each(middlewareNames)('is one that a chain of the library uses, or that stands around them: %s', (name) => {
    const files = [
      ...readdirSync('src/resource/table').map((file) => `src/resource/table/${file}`),
      ...readdirSync('src/features')
        .map((plugin) => `src/features/${plugin}/rows.ts`)
        .filter((file) => existsSync(file)),
      'src/resource/serve-resource.ts',
      'src/api/outer-middlewares.ts',
      'src/middleware/json-body.ts',
    ];
    const chains = files.map(read).join('');
    expect(chains).toContain(name === 'stores' ? 'setStores(' : `${name}(`);
  });
});

describe('docs/about/security.md', () => {
  const page = read('docs/about/security.md');
  const rows = page.split('\n').filter((line) => line.startsWith('| **API'));

  it('has a row for each of the ten, with what is done, what shows it and what is left', () => {
    expect(rows.map((row) => /\*\*(API\d+)\*\*/.exec(row)?.[1])).toEqual(Array.from({ length: 10 }, (_, index) => `API${index + 1}`));
    for (const row of rows) expect([row, row.split(' | ').length, /`test\//.test(row)]).toEqual([row, 4, true]);
  });

  it.each([...new Set([...page.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path))])('names a test that there is: %s', (path) => {
    expect(read(path)).toMatch(/\bit(?:\.each)?[(<]/);
  });
});

describe('every slot of the context', () => {
  const slots = [...read('src/middleware/exchange/context.ts').matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => name ?? '');

  it.each(slots)('is in docs/reference/middleware.md: ctx.%s', (name) => {
    expect(slots.length).toBeGreaterThan(15);
    expect(read('docs/reference/middleware.md')).toContain(`ctx.${name}`);
  });
});
