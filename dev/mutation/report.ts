/** What is read of Stryker's report in JSON (mutation-testing-report-schema). */
export interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly Mutant[] }>>;
}

interface Mutant {
  readonly status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'RuntimeError' | 'CompileError' | 'Ignored' | 'Pending';
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly location: { readonly start: { readonly line: number; readonly column: number } };
}

/** How many mutants of one file there are, how many of them the tests have noticed, and on which day that was found. */
export interface Score {
  readonly mutants: number;
  readonly noticed: number;
  readonly day: string;
}

/** Counts one file. What cannot run or was left out on purpose does not count. */
export function scoreOf({ files }: Report, file: string, day: string): Score {
  const mutants = files[file]?.mutants ?? [];
  const noticed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  return { mutants: noticed + mutants.filter(isUnnoticed).length, noticed, day };
}

/** A line for each mutant of a file that no test has noticed. */
export function listSurvivors({ files }: Report, file: string): string[] {
  return (files[file]?.mutants ?? [])
    .filter(isUnnoticed)
    .map(({ location: { start }, status, mutatorName, replacement = '' }) =>
      `${file}:${start.line}:${start.column} ${status} ${mutatorName}: ${replacement.replace(/\s+/g, ' ')}`.trim(),
    );
}

function isUnnoticed({ status }: Mutant): boolean {
  return status === 'Survived' || status === 'NoCoverage';
}

const begin = '<!-- scores: written by `npm run test:mutation` -->';
const end = '<!-- end of scores -->';

/** Replaces the rows of these files in the table of a page, and the sum below it. Files that are no longer there go. */
export function updateScores(page: string, scores: ReadonlyMap<string, Score>, existing: readonly string[]): string {
  const [before = '', rest = ''] = page.split(begin);
  const [table = '', after = ''] = rest.split(end);
  const all = new Map([...readRows(table), ...scores]);
  const rows = existing.flatMap((file) => {
    const score = all.get(file);
    return score && score.mutants > 0 ? [[file, score] as const] : [];
  });
  const lines = rows.map(([file, score]) => `| \`${file}\` | ${writeCounts(score)} | ${score.day} |`);
  const sum = rows.reduce((total, [, { mutants, noticed }]) => ({ mutants: total.mutants + mutants, noticed: total.noticed + noticed }), {
    mutants: 0,
    noticed: 0,
  });
  const head = ['| File | Mutants | Noticed | Score | Day |', '|---|---|---|---|---|'];
  const text = [...head, ...lines, `| **all** | ${writeCounts(sum)} | |`].join('\n');
  return `${before}${begin}\n${text}\n${end}${after}`;
}

function readRows(table: string): [string, Score][] {
  const rows = table.matchAll(/^\| `(.+)` \| (\d+) \| (\d+) \| .+ \| (\S+) \|$/gm);
  return [...rows].map(([, file = '', mutants, noticed, day = '']) => [file, { mutants: Number(mutants), noticed: Number(noticed), day }]);
}

function writeCounts({ mutants, noticed }: Omit<Score, 'day'>): string {
  return `${mutants} | ${noticed} | ${mutants === 0 ? '' : `${((100 * noticed) / mutants).toFixed(1)} %`}`;
}
