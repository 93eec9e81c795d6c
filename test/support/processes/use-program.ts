import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';

const root = join(import.meta.dirname, '../../..');

/**
 * Gives a test file one of its programs as a module that `node` runs as it is, with all sources that it imports: with
 * tsx, each process of the program would transform and load hundreds of modules anew.
 */
export function useProgram(script: string): string {
  mkdirSync(join(root, '.tmp'), { recursive: true });
  const folder = mkdtempSync(join(root, '.tmp/program-')); // in the repository, so that packages are found from there
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, basename(script).replace(/\.ts$/, '.mjs'));
  buildSync({ entryPoints: [script], outfile, bundle: true, format: 'esm', platform: 'node', packages: 'external', logLevel: 'warning' });
  return outfile;
}
