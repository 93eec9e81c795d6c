import { spawn } from 'node:child_process';
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { areas } from './areas.ts';
import { type Fault, faultsOf } from './plant.ts';

/**
 * `npm run test:power`: plants faults in a copy of the repository, one at a time, runs the random tests of that part of
 * the code, and tells after how many cases and seconds each test has noticed. What a test needs is how many rounds it
 * deserves. `npm run test:power -- 3 cascade history` plants 3 faults a file, in the files whose paths contain one of
 * the texts.
 */
const [perFile = '2', ...words] = process.argv.slice(2);
const root = resolve(import.meta.dirname, '../..');
const copy = join(root, '.tmp/power');
const results = join(root, '.tmp/power.jsonl');
const longest = 400_000;

await rm(copy, { recursive: true, force: true });
await mkdir(copy, { recursive: true });
for (const name of ['src', 'test', 'dev', 'examples', 'create', 'docs', 'package.json', 'tsconfig.json', 'jest.config.ts']) {
  await cp(join(root, name), join(copy, name), { recursive: true });
}
await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));

for (const { files, tests } of areas) {
  for (const name of files.filter((one) => words.length === 0 || words.some((word) => one.includes(word)))) {
    const file = join(copy, 'src', `${name}.ts`);
    const text = await readFile(file, 'utf8');
    for (const fault of spread(faultsOf(text), Number(perFile))) {
      await writeFile(file, fault.text);
      const noticed = await play(tests);
      await writeFile(results, `${JSON.stringify({ name, line: fault.line, was: fault.was, is: fault.is, noticed })}\n`, { flag: 'a' });
      console.log(`${name}:${fault.line} ${fault.is}\n${noticed.map((one) => `  ${one}`).join('\n') || '  (nobody)'}`);
    }
    await writeFile(file, text);
  }
}

/** So many of them, evenly. */
function spread(faults: readonly Fault[], count: number): Fault[] {
  const step = faults.length / count;
  return step <= 1 ? [...faults] : Array.from({ length: count }, (_, index) => faults[Math.floor((index + 0.5) * step)] as Fault);
}

/** Which tests fail, each with how many cases it has played and how long. */
async function play(tests: readonly string[]): Promise<string[]> {
  const report = join(copy, 'report.json');
  await rm(report, { force: true });
  const args = ['node_modules/jest/bin/jest.js', '--ci', '--selectProjects', 'test', 'slow', '--json', '--outputFile', report];
  const child = spawn(process.execPath, [...args, ...tests.map((test) => `test/${test}.test`)], {
    cwd: copy,
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, END_ON_FAILURE: 'true' },
  });
  const timer = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), longest);
  await new Promise((resolve) => child.once('exit', resolve));
  clearTimeout(timer);
  const text = await readFile(report, 'utf8').catch(() => undefined);
  if (text === undefined) return ['(hung, or no test could be loaded)'];
  const { testResults } = JSON.parse(text) as Report;
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const test = name.slice(join(copy, 'test/').length).replace('.test.ts', '');
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0 && message && assertionResults.length === 0) return [`${test}: cannot be loaded`];
    return failed.map(({ title, duration, failureMessages }) => {
      const cases = /Property failed after (\d+) tests/.exec(failureMessages.join('\n'))?.[1] ?? '?';
      return `${test} | ${title.slice(0, 60)} | case ${cases} | ${Math.round(duration ?? 0)} ms`;
    });
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
