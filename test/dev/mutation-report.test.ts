import { listSurvivors, type Report, scoreOf, updateScores } from '../../dev/mutation/report.ts';

const mutant = (status: Report['files'][string]['mutants'][number]['status'], line = 1) => ({
  status,
  mutatorName: 'BlockStatement',
  replacement: '{\n}',
  location: { start: { line, column: 1 } },
});
const report: Report = {
  files: {
    'a.ts': { mutants: [mutant('Killed'), mutant('Timeout'), mutant('Survived', 3), mutant('NoCoverage', 4), mutant('Ignored')] },
  },
};
const page = 'before\n<!-- scores: written by `npm run test:mutation` -->\n<!-- end of scores -->\nafter\n';

describe('the report of a mutation test', () => {
  it('counts what was noticed, and of all others what could have been', () => {
    expect(scoreOf(report, 'a.ts', '2026-01-31')).toEqual({ mutants: 4, noticed: 2, day: '2026-01-31' });
    expect(scoreOf(report, 'types.ts', '2026-01-31')).toEqual({ mutants: 0, noticed: 0, day: '2026-01-31' });
  });

  it('says where the survivors stand', () => {
    expect(listSurvivors(report, 'a.ts')).toEqual(['a.ts:3:1 Survived BlockStatement: { }', 'a.ts:4:1 NoCoverage BlockStatement: { }']);
    expect(listSurvivors(report, 'types.ts')).toEqual([]);
  });

  it('is written into a page row by row; other files keep theirs, and those without mutants or that are gone have none', () => {
    const scores = (file: string, mutants: number, noticed: number) => new Map([[file, { mutants, noticed, day: '2026-01-31' }]]);
    const files = ['a.ts', 'b.ts', 'types.ts'];
    const first = updateScores(page, scores('b.ts', 4, 2), files);
    const second = updateScores(updateScores(first, scores('a.ts', 3, 3), files), scores('types.ts', 0, 0), files);
    expect(second).toBe(
      [
        'before',
        '<!-- scores: written by `npm run test:mutation` -->',
        '| File | Mutants | Noticed | Score | Day |',
        '|---|---|---|---|---|',
        '| `a.ts` | 3 | 3 | 100.0 % | 2026-01-31 |',
        '| `b.ts` | 4 | 2 | 50.0 % | 2026-01-31 |',
        '| **all** | 7 | 5 | 71.4 % | |',
        '<!-- end of scores -->',
        'after\n',
      ].join('\n'),
    );
    expect(updateScores(second, new Map(), ['a.ts'])).not.toContain('b.ts');
  });
});
