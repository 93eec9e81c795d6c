import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A test that has failed. */
export interface Noticed {
  /** The file, and the name of the test if it could run. */
  readonly test: string;
  readonly title?: string;
  /** After how many random cases, if it counts them. */
  readonly case?: number;
  readonly ms?: number;
}

/** How a run of some tests has ended. */
export interface Played {
  readonly seconds: number;
  readonly noticed: readonly Noticed[];
}

/**
 * Runs tests of a copy of the repository, and tells which of them have failed. With `part: 4` they play a fourth of
 * their rounds.
 */
export async function play(copy: string, tests: readonly string[], { part = 1, longestMS = 600_000 } = {}): Promise<Played> {
  const report = join(copy, 'report.json');
  await rm(report, { force: true });
  const args = ['node_modules/jest/bin/jest.js', '--ci', '--selectProjects', 'test', 'slow', 'faults', '--json', '--outputFile', report];
  const begun = performance.now();
  const child = spawn(process.execPath, [...args, ...tests.map((test) => `test/${test}.test`)], {
    cwd: copy,
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, END_ON_FAILURE: 'true', PART: String(part) },
  });
  // It has a group of its own, so that what it has started ends with it.
  const end = () => process.kill(-(child.pid as number), 'SIGKILL');
  const timer = setTimeout(end, longestMS);
  process.once('exit', end);
  await new Promise((resolve) => child.once('exit', resolve));
  process.off('exit', end);
  clearTimeout(timer);
  const text = await readFile(report, 'utf8').catch(() => undefined);
  const seconds = Math.round((performance.now() - begun) / 1_000);
  if (text === undefined) return { seconds, noticed: [{ test: tests.join(), title: '(has not ended)' }] };
  return { seconds, noticed: (JSON.parse(text) as Report).testResults.flatMap((one) => failuresOf(one, copy)) };
}

function failuresOf({ name, message, assertionResults }: Report['testResults'][number], copy: string): Noticed[] {
  const test = name.slice(join(copy, 'test/').length).replace('.test.ts', '');
  if (message && assertionResults.length === 0) return [{ test, title: '(cannot be loaded)' }];
  return assertionResults
    .filter(({ status }) => status === 'failed')
    .map(({ title, duration, failureMessages }) => {
      const cases = /Property failed after (\d+) tests/.exec(failureMessages.join('\n'))?.[1];
      return { test, title, ...(cases && { case: Number(cases) }), ms: Math.round(duration ?? 0) };
    });
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly title: string;
      readonly duration: number | null;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}
