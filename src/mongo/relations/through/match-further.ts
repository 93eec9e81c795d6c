import { both, type Condition, type Filter } from '../../query/filter.ts';
import type { Expression } from './expression.ts';
import { allOf, planExpression } from './plan-expression.ts';
import { planThrough, type ThroughSettings } from './plan-through.ts';
import type { ThroughCondition } from './through-field.ts';
import type { ThroughQuery } from './through-stages.ts';

/** What the records of a list fulfil, besides its scope. */
export interface Matching {
  /** The conditions on fields of the list's own records. */
  readonly conditions: readonly Condition[];
  /** The conditions on fields of related records. */
  readonly through: readonly ThroughCondition[];
  /** The condition of the parameter `filter`. */
  readonly filter?: Expression | undefined;
}

/** Adds the conditions on related records, and those of the parameter `filter`, to a filter. */
export async function matchFurther(
  { through, filter: expression }: Matching,
  own: Filter,
  settings: ThroughSettings,
): Promise<ThroughQuery> {
  const { filter, stages } = await planThrough(through, settings);
  if (!expression) return { filter: both(own, filter), stages };
  const further = await planExpression(expression, settings);
  return { filter: allOf([own, filter, further.filter]), stages: [...stages, ...further.stages] };
}
