import { living } from '../lifecycle/within.ts';
import { all, type Condition, everyRecord, fulfilling, noRecord, type Predicate } from '../predicate/predicate.ts';
import type { Bound } from '../query/bound.ts';
import type { Expression } from './expression.ts';
import { allOf, leadingTo, planExpression } from './plan-expression.ts';
import { reachable } from './reachable.ts';
import type { ThroughCondition, ThroughSettings, ThroughStep } from './through-field.ts';
import { type RelatedQuery, requireThrough, type ThroughQuery } from './through-stages.ts';

/** What the records of a list fulfil, besides its scope. */
export interface Matching {
  /** The conditions on fields of the list's own records. */
  readonly conditions: readonly Condition[];
  /** The conditions on fields of related records. */
  readonly through: readonly ThroughCondition[];
  /** The condition of the parameter `filter`. */
  readonly filter?: Expression | undefined;
  /** What parameters of a plug-in ask for. */
  readonly further?: Finding | undefined;
  /** How many records may be looked at, if an operator looks at each that fulfils all else. */
  readonly scan?: Bound | undefined;
}

/** The records that parameters of a plug-in ask for. */
export interface Finding {
  /** What they fulfil. */
  readonly within: Predicate;
  /** Throws if such records cannot be found within a scope. */
  checkScope?(scope: Predicate | undefined): void;
  /** What it means that a command has failed that looks for them. */
  explain?(error: unknown): unknown;
}

/** Adds the conditions on related records, and those of the parameter `filter`, to what records fulfil. */
export async function matchFurther(
  { through, filter: expression }: Matching,
  own: Predicate,
  settings: Omit<ThroughSettings, 'found' | 'counted'>,
): Promise<ThroughQuery> {
  const asking = { ...settings, found: new Map(), counted: new Map() };
  const { filter, stages } = await planThrough(through, asking);
  if (!expression) return { filter: all(own, filter), stages };
  const further = await planExpression(expression, asking);
  return { filter: allOf([own, filter, further.filter]), stages: [...stages, ...further.stages] };
}

/**
 * Plans the conditions on related records. All conditions through the same relation are about the same related record,
 * which must be within sight.
 *
 * Each relation is decided by itself. A first query finds the ids of the related records that match. As far as there is
 * room, they become a filter on the field of the relation, which an index serves. If there are too many, a `$lookup`
 * decides about each record of the list: among so many, it finds a page of matches soon. If a relation finds none, the
 * next one is not asked, because no record can match.
 */
function planThrough(conditions: readonly ThroughCondition[], settings: ThroughSettings): Promise<ThroughQuery> {
  return planFrom(conditions, 0, settings);
}

/** Plans the conditions for records of `model`, which lie behind the first `depth` relations. */
async function planFrom(conditions: readonly ThroughCondition[], depth: number, settings: ThroughSettings): Promise<ThroughQuery> {
  const { model, room, work } = settings;
  let plan = every;
  for (const [step, behind] of groupByStep(conditions, depth)) {
    const query = await planStep(step, behind, depth, settings);
    const ids = query ? await step.source.collection.findIdsThrough(query, room, work) : [];
    if (!query || ids?.length === 0) return none;
    const { filter, stages } = plan;
    plan = ids
      ? { filter: all(filter, leadingTo(step, ids)), stages }
      : { filter, stages: [...stages, ...requireThrough(step, query, model)] };
  }
  return plan;
}

const every: ThroughQuery = { filter: everyRecord, stages: [] };
const none: ThroughQuery = { filter: noRecord, stages: [] };

/** The query of the records behind a step that fulfil all conditions. Undefined if none can. */
async function planStep(
  { source }: ThroughStep,
  conditions: readonly ThroughCondition[],
  depth: number,
  settings: ThroughSettings,
): Promise<RelatedQuery | undefined> {
  const scope = settings.sight.get(source);
  if (!scope) return undefined;
  const isHere = ({ field }: ThroughCondition): boolean => field.steps.length === depth + 1;
  const further = conditions.filter((condition) => !isHere(condition));
  const beyond = await planFrom(further, depth + 1, { ...settings, model: source.model });
  if (beyond === none) return undefined;
  const own = all(fulfilling(conditions.filter(isHere)), scope);
  return { filter: reachable(living(source.model, all(own, beyond.filter))), stages: beyond.stages };
}

function groupByStep(conditions: readonly ThroughCondition[], depth: number): Map<ThroughStep, ThroughCondition[]> {
  const groups = new Map<ThroughStep, ThroughCondition[]>();
  for (const condition of conditions) {
    const step = condition.field.steps[depth] as ThroughStep;
    groups.set(step, [...(groups.get(step) ?? []), condition]);
  }
  return groups;
}
