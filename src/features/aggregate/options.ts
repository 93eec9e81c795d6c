import { ConfigurationError } from '../../errors.ts';
import { isObject } from '../../model/value/plain-object.ts';
import { checkOptions } from '../../options.ts';
import type { ResourceParts } from '../../resource/define/resource-parts.ts';
import { checkWholeList } from '../../resource/define/whole-list.ts';
import { aggregateLimits } from './aggregate.ts';
import { type AggregateLimits, aggregateName, aggregateParameters } from './types.ts';

/** Where the numbers about a list are served, below it. */
export const aggregateEndpoint = { name: aggregateName, method: 'GET', path: '/aggregate' } as const;

/** Whether the option is given, right or wrong: a wrong one is told by itself. */
export function hasAggregate({ given }: ResourceParts): boolean {
  const { aggregate = false } = given(aggregateName);
  return aggregate !== false;
}

/** Reads `aggregate` of a resource. Throws a {@link ConfigurationError} if it cannot be served. */
export function readAggregate(parts: ResourceParts): Required<AggregateLimits> | undefined {
  if (!hasAggregate(parts)) return undefined;
  const { list, where } = parts;
  const given: unknown = parts.given(aggregateName).aggregate;
  if (given !== true && !isObject(given))
    throw new ConfigurationError(`\`aggregate\` of ${where} must be true or an object: { maxMatches, maxGroups }.`);
  const options: AggregateLimits = given === true ? {} : given;
  const limits = checkOptions(options, aggregateLimits, `\`aggregate\` of ${where}`);
  const ofList = list();
  checkWholeList(aggregateName, ofList, 'counted', where);
  const { name, clientFields } = ofList.model;
  const taken = aggregateParameters.find((parameter) => clientFields.get(parameter)?.operators.has('eq'));
  if (taken !== undefined)
    throw new ConfigurationError(
      `\`policy.filter\` of \`${taken}\` in ${name} cannot have \`eq\`: an aggregate's query string uses \`${taken}=\` itself. List the other operators, or leave \`aggregate\` of ${where} out.`,
    );
  return limits;
}
