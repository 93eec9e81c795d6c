/** A query plan of the database. */
interface ExplainedPlan {
  /** Whether bounds of an index narrow what the plan reads. */
  readonly isNarrowed: boolean;
  /** Whether the plan reads the records in the order of the list, without a sort. */
  readonly isOrdered: boolean;
}

/** The explanation of a query. */
export interface Explained {
  /** Whether the collection does not exist, so that there is nothing to read. */
  readonly isEmpty: boolean;
  readonly winning: ExplainedPlan;
  /** The winning plan and the rejected plans. */
  readonly candidates: readonly ExplainedPlan[];
  /** How many records or keys of an index were examined, whichever is more. */
  readonly examined: number;
  readonly returned: number;
}

interface Stage {
  readonly stage: string;
  readonly indexBounds?: Readonly<Record<string, readonly string[]>>;
}

/** Reads the answer of `explain('executionStats')` of a find. */
export function readExplain(answer: object): Explained {
  const { queryPlanner, executionStats } = answer as {
    readonly queryPlanner: { readonly winningPlan: object; readonly rejectedPlans?: readonly object[] };
    readonly executionStats: Readonly<Record<'totalDocsExamined' | 'totalKeysExamined' | 'nReturned', number>>;
  };
  const winning = stagesOf(queryPlanner.winningPlan);
  const candidates = [winning, ...(queryPlanner.rejectedPlans ?? []).map(stagesOf)].map(toPlan);
  return {
    isEmpty: winning.every(({ stage }) => stage === 'EOF'),
    winning: toPlan(winning),
    candidates,
    examined: Math.max(executionStats.totalDocsExamined, executionStats.totalKeysExamined),
    returned: executionStats.nReturned,
  };
}

/** Every stage of a plan, at any depth: shards and the slot-based engine nest their plans more deeply. */
function stagesOf(plan: unknown): Stage[] {
  if (typeof plan !== 'object' || plan === null) return [];
  const within = Object.values(plan).flatMap(stagesOf);
  return 'stage' in plan && typeof plan.stage === 'string' ? [plan as Stage, ...within] : within;
}

function toPlan(stages: readonly Stage[]): ExplainedPlan {
  return {
    isNarrowed: stages.every(({ stage, indexBounds }) => stage !== 'COLLSCAN' && !(stage === 'IXSCAN' && isWholeIndex(indexBounds))),
    isOrdered: stages.every(({ stage }) => stage !== 'SORT'),
  };
}

function isWholeIndex(bounds: Stage['indexBounds'] = {}): boolean {
  return Object.values(bounds).every(([interval, ...others]) => others.length === 0 && isWholeInterval(interval));
}

function isWholeInterval(interval: string | undefined): boolean {
  return interval === '[MinKey, MaxKey]' || interval === '[MaxKey, MinKey]';
}
