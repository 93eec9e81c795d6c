import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { useLibrary } from '../support/processes/use-library.ts';

const root = join(import.meta.dirname, '../..');

/** An example in a process of its own. */
export interface RunningExample {
  /** Resolves as soon as standard output or standard error has the text; rejects when the process ends without. */
  says(text: RegExp): Promise<string>;
  /** Ends it as Ctrl-C does. */
  interrupt(): void;
  /** What it has left when it has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

/**
 * Starts examples as `npm start` does, on the library as a user has it, or by a command of tsx, on the sources. Kills
 * what is left of them after the last test of the file.
 */
export function useExamples(): (script: string, env: NodeJS.ProcessEnv, tsx?: readonly string[]) => RunningExample {
  const { tsconfig } = useLibrary();
  const kills: (() => void)[] = [];
  const exits: Promise<unknown>[] = [];
  afterAll(async () => {
    for (const kill of kills) kill();
    await Promise.all(exits); // or the worker still has children when it should end
  });
  return function start(script, env, tsx) {
    const library = tsx ? {} : { TSX_TSCONFIG_PATH: tsconfig };
    const options = { cwd: root, env: { ...process.env, ...library, ...env } };
    const by = tsx ? [join(root, 'node_modules/tsx/dist/cli.mjs'), ...tsx] : ['--import', 'tsx'];
    const child = spawn(process.execPath, [...by, join('examples', script)], options);
    kills.push(() => child.kill('SIGKILL'));
    exits.push(once(child, 'exit'));
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        output[name] += chunk;
      });
    }
    const ended = once(child, 'close').then(([code]) => ({ code, ...output }));

    function says(text: RegExp): Promise<string> {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = text.exec(output.stdout) ?? text.exec(output.stderr);
          if (found) resolve(found[0]);
        };
        look();
        child.stdout.on('data', look);
        child.stderr.on('data', look);
        ended.then(() => reject(new Error(`the example ended before it said ${text}: ${output.stdout}${output.stderr}`)), reject);
      });
    }

    return { says, ended, interrupt: () => child.kill('SIGINT') };
  };
}
