/**
 * What is promised of a write, as one pure function over what was said and what was done (decisions, "Errors"). Every
 * fault of this folder ends here. `judge.test.ts` shows that it catches each kind of lie.
 */

/** What a client was told of one write. */
export interface Told {
  /** The write's own mark: it stands in the document that the write leaves, or is the id of the one that it removes. */
  readonly token: string;
  /** Of the answer; undefined where the connection ended without one. */
  readonly status: number | undefined;
  /** The problem's code. */
  readonly code?: string | undefined;
  /** When the answer was given, on the clock of {@link Sent.at}. */
  readonly at: number;
}

/** A write that was handed to a connection of the driver. */
export interface Sent {
  readonly token: string;
  readonly at: number;
}

/** Everything of one run. */
export interface History {
  readonly told: readonly Told[];
  /** Without them (the server was another process) nothing is said of what was sent late. */
  readonly sent?: readonly Sent[];
  /** The tokens of the writes that the database carried out, one for each time. */
  readonly applied: readonly string[];
}

/** What an answer says of a write. */
export type Meaning = 'acknowledged' | 'refused' | 'unknown';

/**
 * No answer says nothing, and neither does 504 `write_outcome_unknown`. Every other error says that the write was not
 * carried out.
 */
export function meaningOf({ status, code }: Pick<Told, 'status' | 'code'>): Meaning {
  if (status === undefined) return 'unknown';
  if (status >= 200 && status < 300) return 'acknowledged';
  return status === 504 && code === 'write_outcome_unknown' ? 'unknown' : 'refused';
}

export type Kind =
  | 'acknowledged and missing'
  | 'refused and applied'
  | 'sent after its answer'
  | 'applied twice'
  | 'applied and unheard of';

export interface Lie extends Partial<Told> {
  readonly kind: Kind;
  readonly token: string;
}

/** Every lie of a history; none is what is promised. */
export function judge({ told, sent = [], applied }: History): Lie[] {
  const times = new Map<string, number>();
  for (const token of applied) times.set(token, (times.get(token) ?? 0) + 1);
  const answers = new Map(told.map((one) => [one.token, one]));
  if (answers.size < told.length) throw new Error('two answers have one token: the writes of a test must be told apart');

  const lies = told.flatMap((one): Lie[] => {
    const meaning = meaningOf(one);
    const count = times.get(one.token) ?? 0;
    if (meaning === 'acknowledged' && count === 0) return [{ kind: 'acknowledged and missing', ...one }];
    if (meaning === 'refused' && count > 0) return [{ kind: 'refused and applied', ...one }];
    return [];
  });
  const late = new Set<string>();
  for (const { token, at } of sent) {
    const answer = answers.get(token);
    if (answer?.status !== undefined && at > answer.at) late.add(token);
  }
  for (const token of late) lies.push({ kind: 'sent after its answer', ...(answers.get(token) as Told) });
  for (const [token, count] of times) {
    if (count > 1) lies.push({ kind: 'applied twice', token, ...answers.get(token) });
    // Nobody asked for it: then the tokens are mixed up, and no verdict of this run is worth anything.
    if (!answers.has(token)) lies.push({ kind: 'applied and unheard of', token });
  }
  return lies;
}

/** How much was judged, so that a run that judged nothing is seen. */
export interface Summary extends Readonly<Record<Meaning, number>> {
  /** Answers by status and code. */
  readonly answers: Readonly<Record<string, number>>;
  readonly applied: number;
  /** Carried out although the answer could not say so. */
  readonly unknownAndApplied: number;
}

export function summarize({ told, applied }: History): Summary {
  const done = new Set(applied);
  const summary = { acknowledged: 0, refused: 0, unknown: 0, unknownAndApplied: 0, applied: applied.length, answers: {} };
  const answers: Record<string, number> = summary.answers;
  for (const one of told) {
    const meaning = meaningOf(one);
    summary[meaning]++;
    if (meaning === 'unknown' && done.has(one.token)) summary.unknownAndApplied++;
    const name = one.status === undefined ? 'no answer' : [one.status, one.code].filter(Boolean).join(' ');
    answers[name] = (answers[name] ?? 0) + 1;
  }
  return summary;
}
