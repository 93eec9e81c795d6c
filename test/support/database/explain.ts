import type { Document } from 'mongodb';
import type { useCommands } from './commands.ts';
import type { TestDatabase } from './database.ts';

/** What a command was done by, and how much was looked at. */
export interface Cost {
  readonly stages: ReadonlySet<string>;
  readonly indexes: ReadonlySet<string>;
  readonly keys: number;
  readonly documents: number;
}

/**
 * Lets the database explain the command that it was sent last, by running it again: what was not reached has no part in
 * it.
 */
export function useExplain(database: TestDatabase, commands: ReturnType<typeof useCommands>): () => Promise<Cost> {
  return () => explain(database, commands.events.at(-1)?.command as Document);
}

async function explain(database: TestDatabase, sent: Document): Promise<Cost> {
  const { find, filter, sort, limit, projection, aggregate, pipeline } = sent;
  const command = find ? { find, filter, sort, limit, ...(projection && { projection }) } : { aggregate, pipeline, cursor: {} };
  const explained = await database.db.command({ explain: command, verbosity: 'executionStats' });
  const plans = find ? [explained] : explained.stages.flatMap(plansWithin);
  const stages = new Set<string>();
  const indexes = new Set<string>();
  for (const { queryPlanner } of plans) collectStages(queryPlanner.winningPlan, stages, indexes);
  const sum = (name: string) => plans.reduce((total: number, { executionStats }: Document) => total + executionStats[name], 0);
  return { stages, indexes, keys: sum('totalKeysExamined'), documents: sum('totalDocsExamined') };
}

/**
 * The plans of a pipeline's stage, and of the pipelines that it holds. A sort that no index could do stands behind a
 * plan.
 */
function plansWithin(stage: Document): Document[] {
  if (stage.$cursor) return [stage.$cursor];
  const pipeline: Document[] = stage.$unionWith?.pipeline ?? [];
  const isReached = pipeline.some((one) => '$cursor' in one);
  if (isReached) expect(pipeline.map((one) => Object.keys(one)[0])).not.toContain('$sort');
  return pipeline.flatMap(plansWithin);
}

function collectStages(plan: Document, stages: Set<string>, indexes: Set<string>): void {
  if (typeof plan.stage === 'string') stages.add(plan.stage);
  if (typeof plan.indexName === 'string') indexes.add(plan.indexName);
  for (const part of Object.values(plan)) if (typeof part === 'object' && part !== null) collectStages(part, stages, indexes);
}
