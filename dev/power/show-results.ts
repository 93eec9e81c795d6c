import type { Noticed } from './play.ts';

/** A fault, and what became of it. */
export interface Result {
  readonly name: string;
  readonly line: number;
  readonly was: string;
  readonly is: string;
  /** The tests that were run. */
  readonly tests: readonly string[];
  readonly noticed: readonly Noticed[];
  /** Those that also fail with a fourth of their rounds. */
  readonly again: readonly Noticed[];
}

/** Shows which tests have noticed a fault, each in a line. */
export function showResult({ name, line, was, is, noticed, again }: Result): string {
  const lines = [...new Set(noticed.map(({ test }) => test))].map((test) => {
    const own = noticed.filter((one) => one.test === test);
    const counted = own.flatMap((one) => (one.case === undefined ? [] : [`with case ${one.case}`]));
    const others = own.filter((one) => one.case === undefined);
    const fourth = again.filter((one) => one.test === test).length;
    return [
      `  ${test}`,
      ...counted,
      ...(others.length > 0 ? [`${others.length} that count no cases: ${others[0]?.title}`] : []),
      ...(fourth > 0 ? [`${fourth} with a fourth, too`] : []),
    ].join(' | ');
  });
  return [`${name}:${line} ${was.trim()} -> ${is.trim()}`, ...(lines.length > 0 ? lines : ['  (no test)'])].join('\n');
}

/** Makes the table of `docs/about/testing.md`: how many faults each test has noticed, and the case of the last one. */
export function showTable(results: readonly Result[]): string {
  const tests = [...new Set(results.flatMap((one) => one.tests))];
  const by = (some: readonly Noticed[], test: string) => some.filter((one) => one.test === test);
  const rows = tests.map((test) => {
    const planted = results.filter((one) => one.tests.includes(test));
    const noticing = planted.filter(({ noticed }) => by(noticed, test).length > 0);
    const firsts = noticing.flatMap(({ noticed }) => {
      const counts = by(noticed, test).flatMap((one) => one.case ?? []);
      return counts.length > 0 ? [Math.min(...counts)] : [];
    });
    const fourths = planted.filter(({ again }) => by(again, test).length > 0).length;
    const last = firsts.length > 0 ? Math.max(...firsts) : '';
    return `| \`${test}\` | ${planted.length} | ${noticing.length} | ${firsts.length} | ${last} | ${fourths || ''} |`;
  });
  const noticed = results.filter((one) => one.noticed.length > 0).length;
  return [
    `${noticed} of ${results.length} faults were noticed.`,
    '',
    '| Test | faults | noticed | by a case | last case | with a fourth |',
    '| --- | --: | --: | --: | --: | --: |',
    ...rows,
  ].join('\n');
}
