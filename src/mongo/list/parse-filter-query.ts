import { QueryErrors } from '../../http/query-errors.ts';
import type { QueryParameter } from '../../http/query-string.ts';
import { Invalid } from '../../rules.ts';
import { type Condition, isOpen } from '../predicate/predicate.ts';
import { isSettingName } from './list-settings.ts';
import { type ConditionRules, givenTwice, type OtherParameters, parseConditions, refuseOutOfRange } from './parse-conditions.ts';

/** The query string of a write to many records, validated and cast. */
export interface FilterQuery {
  readonly conditions: readonly Condition[];
  /** The most records that the write may affect. */
  readonly max: number;
}

/** The settings that the parser takes from its resource. */
export interface FilterQueryRules extends ConditionRules {
  /** The most records that a write may affect, and the default of `max_affected`. */
  readonly maxAffected: number;
}

/** The parameter that says how many records may match. No filterable field may have its name. */
export const maxAffectedName = 'max_affected';

const ofWrite: OtherParameters = { parameters: () => [maxAffectedName], subject: 'this request' };

const noFilter = new Invalid('required', 'the query string must have a filter: one that some records do not match');

/**
 * Parses the query string of a write to many records: the filters of the list, and `max_affected`. A filter is
 * required. Throws `invalid_query` (400) with the first 20 errors, and `validation_failed` (422) for an integer of more
 * than 64 bits.
 */
export function parseFilterQuery(parameters: readonly QueryParameter[], rules: FilterQueryRules): FilterQuery {
  const errors = new QueryErrors();
  const limits: string[] = [];
  const filters: QueryParameter[] = [];
  for (const parameter of parameters) {
    const { name, operator, isItem, value } = parameter;
    if (name === maxAffectedName && operator === undefined && !isItem) limits.push(value);
    else if (operator === undefined && isSettingName(name)) errors.push(ofListOnly.at(name));
    else filters.push(parameter);
  }
  const { conditions, outOfRange } = parseConditions(filters, rules, ofWrite, errors);
  const max = parseMax(limits, rules, errors);
  errors.throwIfAny();
  refuseOutOfRange(outOfRange);
  if (conditions.every(isOpen)) errors.push(noFilter.at(''));
  errors.throwIfAny();
  return { conditions, max };
}

const ofListOnly = new Invalid('not_available', 'is not available: a write to many records takes filters and max_affected');

function parseMax([text, ...others]: readonly string[], { maxAffected }: FilterQueryRules, errors: QueryErrors): number {
  if (text === undefined) return maxAffected;
  const max = /^\d+$/.test(text) ? Number(text) : 0;
  if (others.length > 0) errors.push(givenTwice.at(maxAffectedName));
  else if (max < 1) errors.push(new Invalid('positive_integer', 'must be a whole number of at least 1, in digits').at(maxAffectedName));
  else if (max > maxAffected)
    errors.push(new Invalid('maximum', `must be at most ${maxAffected}`, { limit: maxAffected }).at(maxAffectedName));
  return max;
}
