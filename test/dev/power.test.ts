import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { areas, unmeasured } from '../../dev/power/areas.ts';
import { filesOf, plantedIn } from '../../dev/power/plant.ts';
import { showResult, showTable } from '../../dev/power/show-results.ts';

const root = join(import.meta.dirname, '../..');
const all = Object.values(areas).flat();
const measured = new Set(all.flatMap(({ tests }) => tests));

/** The tests that play random cases, or that `ROUNDS` has play more. */
const random = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && file !== 'rounds.test.ts')
  .filter((file) => {
    const text = readFileSync(join(root, 'test', file), 'utf8');
    return /\bfc\s*\.(?:assert|sample)\(|\bcases\(\d|import [^;]*\brounds\b[^;]* from '[^']*\/(?:rounds|random)\.ts'/.test(text);
  })
  .map((file) => file.replace('.test.ts', ''));

it('every random test is measured by planted faults, or a reason says why not', () => {
  const reasons = Object.keys(unmeasured);
  expect(random.length).toBeGreaterThan(50);
  expect(random.filter((test) => !measured.has(test) && !reasons.includes(test))).toEqual([]);
  expect(reasons.filter((test) => measured.has(test) || !random.includes(test))).toEqual([]);
});

it('the tests that are measured are there', () => {
  expect([...measured].filter((test) => !existsSync(join(root, 'test', `${test}.test.ts`)))).toEqual([]);
});

it.each(all.flatMap((area) => filesOf(area).map((file) => [file, area] as const)))('faults can be planted in %s', (file, area) => {
  const text = readFileSync(join(root, 'src', `${file}.ts`), 'utf8');
  const faults = plantedIn(file, text, area, 2);
  expect(faults.length).toBeGreaterThan(0);
  for (const fault of faults) expect(fault.text).not.toBe(text);
});

describe('what was measured', () => {
  const fault = { name: 'hints', line: 3, was: ' a < b', is: ' a <= b', tests: ['hints', 'faults/soak'] };
  const noticed = [
    { test: 'hints', title: 'agrees', case: 5, ms: 1 },
    { test: 'hints', title: 'takes stauts for status', ms: 1 },
    { test: 'faults/soak', title: 'tells the truth', ms: 1 },
  ];
  const results = [
    { ...fault, noticed, again: noticed.slice(2) },
    { ...fault, noticed: [{ test: 'hints', title: 'agrees', case: 40, ms: 1 }], again: [] },
    { ...fault, noticed: [], again: [] },
  ];

  it('is told of each fault: the cases, and what fails with a fourth of the rounds, too', () => {
    expect(results.map(showResult)).toEqual([
      [
        'hints:3 a < b -> a <= b',
        '  hints | with case 5 | 1 that count no cases: takes stauts for status',
        '  faults/soak | 1 that count no cases: tells the truth | 1 with a fourth, too',
      ].join('\n'),
      'hints:3 a < b -> a <= b\n  hints | with case 40',
      'hints:3 a < b -> a <= b\n  (no test)',
    ]);
  });

  it('is a table of the tests: how many faults each has noticed, and the case of the last one', () => {
    expect(showTable(results).split('\n')).toEqual([
      '2 of 3 faults were noticed.',
      '',
      '| Test | faults | noticed | by a case | last case | with a fourth |',
      '| --- | --: | --: | --: | --: | --: |',
      '| `hints` | 3 | 2 | 2 | 40 |  |',
      '| `faults/soak` | 3 | 1 | 0 |  | 1 |',
    ]);
  });
});
