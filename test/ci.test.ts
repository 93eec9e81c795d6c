import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');

it('CONTRIBUTING.md says of each step of `.ci/run` what it alone notices', () => {
  const steps = [...read('.ci/run').matchAll(/\bstep (['"])([^'"$:]+)/g)].map(([, , name = '']) => name);
  expect(steps.length).toBeGreaterThan(15);
  const [, table = ''] = /\n\| Check \|.*\n\|[-|]+\n((?:\|.*\n)+)/.exec(read('CONTRIBUTING.md')) ?? [];
  const rows = table.trimEnd().split('\n');
  expect(steps.filter((name) => !rows.some((row) => row.split('|')[1]?.includes(name)))).toEqual([]);
  expect(rows.filter((row) => row.split('|').at(-2)?.trim() === '')).toEqual([]);
});
