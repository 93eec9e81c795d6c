import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../support/docs/pages.ts';

/** The package of the generators. */
export const generators = join(root, 'dev/generators');

/**
 * A folder for each example with its document, the configurations and what was made of them; one more for each of the
 * pages about TanStack Query and about live lists.
 */
export const generated = join(generators, 'generated');

/** Runs a script of Node, and returns what it wrote. What it complains about becomes the message. */
export async function runScript(script: string, ...args: readonly string[]): Promise<string> {
  const options = { cwd: root, maxBuffer: 2 ** 24 };
  const loader = script.endsWith('.ts') ? ['--import', 'tsx'] : [];
  const { stdout } = await promisify(execFile)(process.execPath, [...loader, script, ...args], options).catch(
    ({ message, stdout: output, stderr }: Error & { stdout: string; stderr: string }) => {
      throw new Error(`${message}\n${output}${stderr}`);
    },
  );
  return stdout;
}
