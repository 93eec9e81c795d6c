import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const script = `import { givenSeed, rounds } from ${JSON.stringify(join(import.meta.dirname, 'support/fuzzing/rounds.ts'))};
console.log(JSON.stringify([rounds, givenSeed ?? null]));`;

async function read(given: Readonly<Record<string, string>>): Promise<string> {
  const { ROUNDS: _, SEED: __, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
    env: { ...env, ...given },
  });
  return stdout.trim();
}

it('a run is that of CI unless `ROUNDS` says how many times as much it plays, and `SEED` with what', async () => {
  const all = await Promise.all([read({}), read({ ROUNDS: '', SEED: '' }), read({ ROUNDS: '20', SEED: '0' })]);
  expect(all).toEqual(['[1,null]', '[1,null]', '[20,0]']);
});

it.each(['0', '-1', '1.5', '1e3', 'many', '2147483648'])(
  '`ROUNDS=%s` is refused: the run would be another one than was meant',
  async (text) => {
    await expect(read({ ROUNDS: text })).rejects.toThrow(`ROUNDS must be a whole number from 1 to 2147483647: \`${text}\`.`);
  },
);

it('no test reads a count of rounds or a seed of its own from the environment', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const converting = files.filter((file) => /Number\(process\.env\b/.test(readFileSync(join(import.meta.dirname, file), 'utf8')));
  expect(converting).toEqual([]);
});
