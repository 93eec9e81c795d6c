import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expectWith } from './expect.ts';

const folder = join(import.meta.dirname, '../goldens');

/**
 * Compares a text with a file of `test/goldens/`, which holds what the library did when the file was written.
 * `GOLDENS=write` before the command of the tests writes the file instead.
 *
 * @param name the path of the file, with its extension: `openapi/orders.json`.
 * @param text lines that a person can read and compare. They must not depend on the run: no times, ports or new ids.
 */
export async function expectGolden(name: string, text: string): Promise<void> {
  const path = join(folder, name);
  const lines = `${text.trimEnd()}\n`;
  if (process.env.GOLDENS === 'write') {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, lines);
  }
  const kept = await readFile(path, 'utf8').catch(() => '');
  const advice = 'If it was meant to change, run the test with GOLDENS=write, and give the reason in the commit.';
  expectWith(lines, `test/goldens/${name} has something else. ${advice}`).toBe(kept);
}
