import { readFileSync } from 'node:fs';
import { service } from '../../src/index.ts';

it('the mistake that the page on the command line shows names the options that there are', () => {
  const page = readFileSync('docs/reference/command-line.md', 'utf8');
  const [shown] = /`prefx` is not an option .*/.exec(page) ?? [];
  expect(shown).toBeDefined();
  expect(() => service().api({ prefx: '/api' } as never)).toThrow(shown);
});
