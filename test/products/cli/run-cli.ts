import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll } from '@jest/globals';

const root = join(import.meta.dirname, '../../..');

/**
 * The sources as JavaScript, in a few modules as in the package: with tsx, each of about a hundred processes would take
 * a second longer.
 */
const compiled = compile();
afterAll(() => rmSync(compiled, { recursive: true, force: true }));

function compile(): string {
  mkdirSync(join(root, '.tmp'), { recursive: true });
  const folder = mkdtempSync(join(root, '.tmp/cli-'));
  const entries = ['products/cli/main.ts', 'index.ts'].map((file) => join(root, 'src', file));
  const options = ['--bundle', '--splitting', '--format=esm', '--platform=node', '--packages=external', '--log-level=warning'];
  execFileSync(join(root, 'node_modules/.bin/esbuild'), [...entries, ...options, `--outdir=${folder}`]);
  return folder;
}

/** The program of the command line, for node. */
export const main = join(compiled, 'products/cli/main.js');
/** What a module of a test imports the library from. */
export const library = pathToFileURL(join(compiled, 'index.js')).href;
/** What a module of a test imports the driver from. */
export const driver = pathToFileURL(join(root, 'node_modules/mongodb/lib/index.js')).href;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Starts the command line as a process of its own. `env` has the whole environment about databases: that of the tests
 * is not passed on.
 */
export function startCli(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess & { readonly ended: Promise<Ended> } {
  const { NODE_OPTIONS: _, MONGODB_URI: __, ...inherited } = process.env;
  const child = spawn(process.execPath, [main, ...args], {
    cwd: root,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = [child.stdout, child.stderr].map((stream) => {
    const text = { all: '' };
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text.all += chunk;
    });
    return text;
  });
  const ended = once(child, 'close').then(([code]): Ended => ({ code, stdout: texts[0]?.all ?? '', stderr: texts[1]?.all ?? '' }));
  return Object.assign(child, { ended });
}

/** Runs the command line to its end. */
export function runCli(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return startCli(args, env).ended;
}
