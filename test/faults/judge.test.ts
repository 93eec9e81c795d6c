import { type History, judge, type Kind, meaningOf, summarize, type Told } from './judge.ts';

const told = (status: number | undefined, code?: string, at = 10): Told => ({ token: 'w1', status, code, at });
const created = told(201);
const unavailable = told(503, 'database_unavailable');
const unknown = told(504, 'write_outcome_unknown');
const gone = told(undefined);

describe('the meaning of an answer', () => {
  it.each<[string, Told, string]>([
    ['201', created, 'acknowledged'],
    ['204', told(204), 'acknowledged'],
    ['503', unavailable, 'refused'],
    ['503 of too many requests', told(503, 'overloaded'), 'refused'],
    ['504 of an unknown outcome', unknown, 'unknown'],
    ['504 of another kind', told(504, 'database_timeout'), 'refused'],
    ['409', told(409, 'duplicate_key'), 'refused'],
    ['412', told(412, 'precondition_failed'), 'refused'],
    ['500', told(500), 'refused'],
    ['none', gone, 'unknown'],
  ])('%s', (_name, answer, meaning) => {
    expect(meaningOf(answer)).toBe(meaning);
  });
});

describe('the judge', () => {
  const early = [{ token: 'w1', at: 5 }];
  const late = [{ token: 'w1', at: 11 }];

  it.each<[string, History]>([
    ['is carried out once and acknowledged', { told: [created], sent: early, applied: ['w1'] }],
    ['was sent twice, by a retry, and carried out once', { told: [created], sent: [...early, { token: 'w1', at: 9 }], applied: ['w1'] }],
    ['is refused and not carried out', { told: [unavailable], sent: [], applied: [] }],
    ['was sent, refused by the database, and said to be refused', { told: [unavailable], sent: early, applied: [] }],
    ['is said to be unknown, and was carried out', { told: [unknown], sent: early, applied: ['w1'] }],
    ['is said to be unknown, and was not carried out', { told: [unknown], sent: early, applied: [] }],
    ['had no answer, and was carried out', { told: [gone], sent: early, applied: ['w1'] }],
    ['had no answer, and was sent when its client was gone', { told: [gone], sent: late, applied: ['w1'] }],
  ])('believes a write that %s', (_name, history) => {
    expect(judge(history)).toEqual([]);
  });

  it.each<[Kind, string, History]>([
    ['acknowledged and missing', 'is acknowledged and nowhere', { told: [created], sent: early, applied: [] }],
    ['acknowledged and missing', 'is acknowledged and was never sent', { told: [told(204)], applied: [] }],
    ['refused and applied', 'is 503 and carried out', { told: [unavailable], sent: early, applied: ['w1'] }],
    ['refused and applied', 'is a bare 500 and carried out', { told: [told(500)], sent: early, applied: ['w1'] }],
    ['refused and applied', 'is 409 by its own first try', { told: [told(409, 'duplicate_key')], sent: early, applied: ['w1'] }],
    ['refused and applied', 'is a 504 that says nothing of an unknown outcome', { told: [told(504, 'database_timeout')], applied: ['w1'] }],
    ['sent after its answer', 'is refused and sent later, even if it fails then', { told: [unavailable], sent: late, applied: [] }],
    ['sent after its answer', 'is said to be unknown and sent later', { told: [unknown], sent: late, applied: ['w1'] }],
    ['sent after its answer', 'is acknowledged and sent again', { told: [created], sent: [...early, ...late], applied: ['w1'] }],
    ['applied twice', 'is acknowledged and carried out twice', { told: [created], sent: early, applied: ['w1', 'w1'] }],
    ['applied twice', 'is said to be unknown and carried out twice', { told: [unknown], sent: early, applied: ['w1', 'w1'] }],
    ['applied twice', 'had no answer and is carried out twice', { told: [gone], applied: ['w1', 'w1'] }],
    ['applied and unheard of', 'nobody asked for', { told: [], applied: ['w1'] }],
  ])('calls it "%s" when a write %s', (kind, _name, history) => {
    expect(judge(history)).toEqual([expect.objectContaining({ kind, token: 'w1' })]);
  });

  it('finds every lie of a history, and each with its answer', () => {
    const history: History = {
      told: [unavailable, { ...created, token: 'w2' }, { ...created, token: 'w3' }],
      sent: [...late, { token: 'w2', at: 1 }],
      applied: ['w1', 'w3', 'w3'],
    };
    expect(judge(history)).toEqual([
      { kind: 'refused and applied', ...unavailable },
      { kind: 'acknowledged and missing', ...created, token: 'w2' },
      { kind: 'sent after its answer', ...unavailable },
      { kind: 'applied twice', ...created, token: 'w3' },
    ]);
  });

  it('refuses a history of writes that cannot be told apart', () => {
    expect(() => judge({ told: [created, unknown], applied: [] })).toThrow(/one token/);
  });
});

describe('the summary of a history', () => {
  it('counts what was said by its meaning, and what was carried out', () => {
    const other = (answer: Told, token: string) => ({ ...answer, token });
    const history = {
      told: [created, other(unknown, 'w2'), other(unknown, 'w3'), other(gone, 'w4'), other(told(503, 'overloaded'), 'w5')],
    };
    expect(summarize({ ...history, applied: ['w1', 'w3', 'w4'] })).toEqual({
      acknowledged: 1,
      refused: 1,
      unknown: 3,
      unknownAndApplied: 2,
      applied: 3,
      answers: { '201': 1, '504 write_outcome_unknown': 2, '503 overloaded': 1, 'no answer': 1 },
    });
  });
});
