import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { runVisibly } from '../run.ts';
import { listSurvivors, type Report, type Score, scoreOf, updateScores } from './report.ts';
import { findSubjects, type Subject } from './scope.ts';

/**
 * `npm run test:mutation`, for all files of the scope, or for those whose paths contain a text:
 * `npm run test:mutation cursor http/json`. It changes the code in one place at a time, and prints each change that no
 * test has noticed. The scores go into `docs/about/testing.md`.
 */
const root = resolve(import.meta.dirname, '../..');
const home = join(root, 'dev/mutation');
const work = join(root, '.tmp/mutation');
const page = join(root, 'docs/about/testing.md');

process.chdir(root);
if (!existsSync(join(home, 'node_modules'))) await runVisibly('npm', ['ci', '--prefix', home, '--ignore-scripts']);
await mkdir(work, { recursive: true });
const all = (await findSubjects(root, [])).map(({ file }) => file);
for (const subject of await findSubjects(root, process.argv.slice(2))) {
  const report = await mutate(subject);
  const score = scoreOf(report, subject.file, new Date().toISOString().slice(0, 10));
  console.log(`${subject.file}: ${score.noticed} of ${score.mutants}`);
  for (const line of listSurvivors(report, subject.file)) console.log(`  ${line}`);
  await writeFile(page, updateScores(await readFile(page, 'utf8'), new Map<string, Score>([[subject.file, score]]), all));
}

/** One file a run, with its own tests: Stryker runs all that it is given before the first mutant. */
async function mutate({ file, tests }: Subject): Promise<Report> {
  if (tests.length === 0) throw new Error(`${file} has no tests that need no database: see dev/mutation/scope.ts`);
  const name = file.replaceAll('/', '-');
  const [config, report] = [join(work, `${name}.config.json`), join(work, `${name}.report.json`)];
  await writeFile(config, JSON.stringify(configure(file, tests, report)));
  await runVisibly(process.execPath, [join(home, 'node_modules/@stryker-mutator/core/bin/stryker.js'), 'run', config]);
  return JSON.parse(await readFile(report, 'utf8'));
}

/** Each mutant is a run of Jest, which takes a second: Stryker's own runner for Jest needs Jest's environment. */
function configure(file: string, tests: readonly string[], report: string): object {
  return {
    mutate: [file],
    testRunner: 'command',
    commandRunner: { command: `node node_modules/jest/bin/jest.js --selectProjects mutation --ci --runInBand --bail ${tests.join(' ')}` },
    concurrency: availableParallelism(),
    allowEmpty: true,
    timeoutMS: 30_000, // beyond what it may take on a busy machine
    tempDirName: '.tmp/stryker',
    ignorePatterns: ['.tmp'], // what tests write there comes and goes
    logLevel: 'warn',
    warnings: { slow: false },
    reporters: ['json'],
    jsonReporter: { fileName: report },
  };
}
