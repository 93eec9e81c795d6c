/** What the database says of a plan: whether an index narrows what it reads to a part, and whether it reads it in the order of the list. */
interface ExplainedPlan {
  readonly isNarrowed: boolean;
  readonly isOrdered: boolean;
}

/** What the database says of a query. */
export interface Explained {
  /** It has nothing to look through: there is no such collection. */
  readonly isEmpty: boolean;
  readonly winning: ExplainedPlan;
  /** The winning plan, and those that it was chosen from. */
  readonly candidates: readonly ExplainedPlan[];
  /** How many records, or keys of an index, were looked at. */
  readonly examined: number;
  readonly returned: number;
}

interface Stage {
  readonly stage: string;
  readonly indexBounds?: Readonly<Record<string, readonly string[]>>;
}

/** Reads what `explain('executionStats')` of a find has answered. */
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

/** Every stage of a plan, at any depth: plans of shards and of the slot-based engine lie deeper than others. */
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
