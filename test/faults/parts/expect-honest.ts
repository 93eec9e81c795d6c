import { judge, summarize } from '../judge.ts';
import type { Load } from './load.ts';
import { report } from './report.ts';
import type { Stage } from './stage.ts';

/** What writes may be answered while a database fails: nothing of it is a bug of the service. */
const expected = [
  '200',
  '201',
  '204',
  '412 precondition_failed', // two clients at one record
  '503 database_unavailable',
  '503 overloaded',
  '503 write_conflict', // of a record that others change
  '503 write_timeout', // of a request whose reads have taken all of its time
  '504 write_outcome_unknown',
  '504 database_timeout', // of a read that comes before the write
];

/** No lie, no bare 500, no problem document of a wrong form; and enough was played to tell. */
export async function expectHonest(stage: Stage, load?: Load, { isAnyLost = true, isAnyAbandoned = false } = {}): Promise<void> {
  const history = await stage.end();
  const { answers, ...counts } = summarize(history);
  report(history);
  expect({ lies: judge(history), bugs: stage.bugs, flaws: [...(load?.flaws ?? [])] }).toEqual({ lies: [], bugs: [], flaws: [] });
  const allowed = isAnyAbandoned ? [...expected, 'no answer'] : expected;
  expect(Object.keys(answers).filter((answer) => !allowed.includes(answer))).toEqual([]);
  expect([counts.acknowledged > 0, counts.refused + counts.unknown > 0 || !isAnyLost]).toEqual([true, true]);
}
