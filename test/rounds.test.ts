import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readWhole } from './support/fuzzing/rounds.ts';

it('`ROUNDS` and `SEED` are whole numbers, or not given', () => {
  const read = (text?: string) => readWhole('SEED', 0, { SEED: text });
  expect([read(), read(''), read('0'), read('20')]).toEqual([undefined, undefined, 0, 20]);
});

it.each(['0', '-1', '1.5', '1e3', 'many', '2147483648'])('`ROUNDS=%s` is refused', (ROUNDS) => {
  expect(() => readWhole('ROUNDS', 1, { ROUNDS })).toThrow(`ROUNDS must be a whole number from 1 to 2147483647: \`${ROUNDS}\`.`);
});

it('no test reads a count of rounds or a seed of its own from the environment', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const converting = files.filter((file) => /Number\(process\.env\b/.test(readFileSync(join(import.meta.dirname, file), 'utf8')));
  expect(converting).toEqual([]);
});

it('every random test plays more cases with `ROUNDS`: none counts them by itself', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const counting = files.filter((file) => {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8').replaceAll(/fc\s*\.sample\([^;]*/g, '');
    return /\bnumRuns:/.test(text) && file !== 'support/fuzzing/fuzz.ts';
  });
  expect(counting).toEqual([]);
});
