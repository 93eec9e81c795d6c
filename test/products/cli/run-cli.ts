import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '../../..');

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Running = ChildProcess & { readonly ended: Promise<Ended> };

/** The command line, until the last test of the file. */
export interface Cli {
  /** Its program, for node. */
  readonly main: string;
  /** What a module of a test imports the library from. */
  readonly library: string;
  /** What it imports webhooks from. */
  readonly webhooks: string;
  /** What a module of a test imports the driver from. */
  readonly driver: string;
  /**
   * Starts the command line as a process of its own. `env` has the whole environment about databases: that of the tests
   * is not passed on.
   */
  startCli(args: readonly string[], env?: NodeJS.ProcessEnv): Running;
  /** Runs the command line to its end. */
  runCli(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Ended>;
}

/** Gives a test file the command line. */
export function useCli(): Cli {
  const compiled = compile();
  afterAll(() => rmSync(compiled, { recursive: true, force: true }));
  const main = join(compiled, 'products/cli/main.js');
  const startCli = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => start([main, ...args], env);
  return {
    main,
    library: pathToFileURL(join(compiled, 'index.js')).href,
    webhooks: pathToFileURL(join(compiled, 'products/webhooks/webhooks.js')).href,
    driver: pathToFileURL(join(root, 'node_modules/mongodb/lib/index.js')).href,
    startCli,
    runCli: (args, env) => startCli(args, env).ended,
  };
}

/**
 * The sources as JavaScript, in a few modules as in the package: with tsx, each of about a hundred processes would take
 * a second longer.
 */
function compile(): string {
  mkdirSync(join(root, '.tmp'), { recursive: true });
  const folder = mkdtempSync(join(root, '.tmp/cli-'));
  const entries = ['products/cli/main.ts', 'index.ts', 'products/webhooks/webhooks.ts'].map((file) => join(root, 'src', file));
  const options = ['--bundle', '--splitting', '--format=esm', '--platform=node', '--packages=external', '--log-level=warning'];
  execFileSync(join(root, 'node_modules/.bin/esbuild'), [...entries, ...options, `--outdir=${folder}`]);
  return folder;
}

function start(args: readonly string[], env: NodeJS.ProcessEnv): Running {
  const { MONGODB_URI: _, ...inherited } = process.env;
  const child = spawn(process.execPath, args, { cwd: root, env: { ...inherited, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
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
