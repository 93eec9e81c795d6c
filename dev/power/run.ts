import { appendFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { areas } from './areas.ts';
import { filesOf, plantedIn } from './plant.ts';
import { type Noticed, type Played, play } from './play.ts';
import { type Result, showResult, showTable } from './show-results.ts';

/**
 * `npm run test:power`: plants faults in a copy of the repository, one at a time, runs the random tests of that part of
 * the code, and tells after how many cases each of them has noticed. One that does not count its cases is played again
 * with a fourth of its rounds. What a test needs is how many rounds it deserves. A table of all tests comes last.
 *
 * `npm run test:power -- 3 cascade history` plants 3 faults a file, in the files whose paths contain one of the texts.
 * `dear`, `small` or `faults` before that takes the areas of that kind only; those of faults have chosen faults.
 */
const given = process.argv.slice(2);
const kinds =
  given[0] !== undefined && given[0] in areas ? [given.shift() as keyof typeof areas] : (Object.keys(areas) as (keyof typeof areas)[]);
const [perFile = '2', ...words] = given;

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const root = resolve(import.meta.dirname, '../..');
const log = join(root, '.tmp/power.jsonl');
await mkdir(join(root, '.tmp'), { recursive: true });
const copy = await mkdtemp(join(root, '.tmp/power-'));
for (const name of ['src', 'test', 'dev', 'examples', 'create', 'docs', 'package.json', 'tsconfig.json', 'jest.config.ts']) {
  await cp(join(root, name), join(copy, name), { recursive: true });
}
await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));

const chosen = kinds
  .flatMap((kind) => areas[kind])
  .map((area) => ({ area, names: filesOf(area).filter((one) => words.length === 0 || words.some((word) => one.includes(word))) }))
  .filter(({ names }) => names.length > 0);

// A test that fails without a fault would say nothing of one.
const sound = await playAll([...new Set(chosen.flatMap(({ area }) => area.tests))]);
const failing = new Set(sound.noticed.map(({ test }) => test));
if (failing.size > 0) console.log(`These fail without a fault, and are not measured: ${[...failing].join(', ')}`);
const longest = 3 * sound.seconds;
const results: Result[] = [];

for (const { area, names } of chosen) {
  const tests = area.tests.filter((test) => !failing.has(test));
  for (const name of names) {
    const file = join(copy, 'src', `${name}.ts`);
    const text = await readFile(file, 'utf8');
    for (const fault of plantedIn(name, text, area, Number(perFile))) {
      await writeFile(file, fault.text);
      const { noticed } = await playAll(tests, { longest });
      const again = await playFourth(noticed, longest);
      await writeFile(file, text);
      const { line, was, is } = fault;
      const result = { name, line, was, is, tests, noticed, again: again.length > 0 ? without(again, await playFourth(again)) : again };
      results.push(result);
      await appendFile(log, `${JSON.stringify(result)}\n`);
      console.log(showResult(result));
    }
  }
}
await rm(copy, { recursive: true });
console.log(`\n${showTable(results)}`);

/** Tests of faults run alone: if one of them does not end, the others do. */
async function playAll(tests: readonly string[], { part = 1, longest = 600 } = {}): Promise<Played> {
  const alone = tests.filter((test) => test.startsWith('faults/')).map((test) => [test]);
  const together = tests.filter((test) => !test.startsWith('faults/'));
  let [seconds, noticed]: [number, Noticed[]] = [0, []];
  for (const some of together.length > 0 ? [together, ...alone] : alone) {
    const played = await play(copy, some, { part, longestMS: 1_000 * Math.max(60, longest) });
    seconds = Math.max(seconds, played.seconds);
    noticed = [...noticed, ...played.noticed];
  }
  return { seconds, noticed };
}

/** Plays those with a fourth of their rounds that do not say themselves after how many they have noticed. */
async function playFourth(noticed: readonly Noticed[], longest = 600): Promise<Noticed[]> {
  const tests = new Set(noticed.filter((one) => one.case === undefined && one.ms !== undefined).map(({ test }) => test));
  const uncounted: string[] = [];
  for (const test of tests) if (await countsByItself(test)) uncounted.push(test);
  if (uncounted.length === 0) return [];
  const { noticed: again } = await playAll(uncounted, { part: 4, longest });
  return again.filter((one) => isAmong(one, noticed));
}

/** Whether a test has rounds that fast-check does not count. */
async function countsByItself(test: string): Promise<boolean> {
  return /\brounds\b[^;]* from '/.test(await readFile(join(copy, 'test', `${test}.test.ts`), 'utf8'));
}

/** Some that ask for a certain count fail with a fourth, whatever the code is. */
function without(some: readonly Noticed[], others: readonly Noticed[]): Noticed[] {
  return some.filter((one) => !isAmong(one, others));
}

function isAmong({ test, title }: Noticed, others: readonly Noticed[]): boolean {
  return others.some((one) => one.test === test && one.title === title);
}
