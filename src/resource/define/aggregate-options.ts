import { ConfigurationError } from '../../errors.ts';
import { aggregateLimits } from '../../middleware/aggregate.ts';
import { aggregateParameters } from '../../model/define/aggregates.ts';
import { isObject } from '../../model/value/plain-object.ts';
import { checkOptions } from '../../options.ts';
import { aggregateName, checkWholeList, type ListParts } from './whole-list.ts';

/** The limits of the aggregates of a resource. */
export interface AggregateLimits {
  /** The most records that may match, up to 10,000,000. More are answered with 422. @default 100,000 */
  readonly maxMatches?: number;
  /** The most groups of an answer, up to 100,000. More are answered with 422. @default 1,000 */
  readonly maxGroups?: number;
}

/** {@link AggregateLimits} with their defaults. */
export type CompiledAggregate = Required<AggregateLimits>;

/** Reads `aggregate` of a resource. Throws a {@link ConfigurationError} if it cannot be served. */
export function readAggregate(given: unknown, list: ListParts, where: string): CompiledAggregate | undefined {
  if (given === undefined || given === false) return undefined;
  if (given !== true && !isObject(given))
    throw new ConfigurationError(`\`aggregate\` of ${where} must be true or an object: { maxMatches, maxGroups }.`);
  const options: AggregateLimits = given === true ? {} : given;
  const limits = checkOptions(options, aggregateLimits, `\`aggregate\` of ${where}`);
  checkWholeList(aggregateName, list, 'counted', where);
  const { name, clientFields } = list.model;
  const taken = aggregateParameters.find((parameter) => clientFields.get(parameter)?.operators.has('eq'));
  if (taken !== undefined)
    throw new ConfigurationError(
      `\`policy.filter\` of \`${taken}\` in ${name} cannot have \`eq\`: an aggregate's query string uses \`${taken}=\` itself. List the other operators, or leave \`aggregate\` of ${where} out.`,
    );
  return limits;
}
