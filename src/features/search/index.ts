import { ConfigurationError } from '../../errors.ts';
import { listNames } from '../../hints.ts';
import type { AnswersProblems } from '../../middleware/exchange/context.ts';
import { checkProblems } from '../../middleware/exchange/problem-codes.ts';
import { partOf } from '../../model/compile/model-part.ts';
import type { ResourceParts } from '../../resource/define/resource-parts.ts';
import { isList } from '../../resource/define/standard-operations.ts';
import type { ResourcePlugin } from '../../resource/table/plugin.ts';
import { searchOfModel } from './model.ts';

/** Searches have no rows of their own: `list.ts` has what lists get. */
export const searches: ResourcePlugin = { legal: {}, compile: checkSearch, rows: () => [] };

/** Refuses a search that the resource cannot have, and a scope that does not keep what `search` of the model says. */
function checkSearch({ given, list, model, where }: ResourceParts): void {
  const { search, scopeFields = [] } = given('search', 'scopeFields');
  const ofModel = partOf(model, searchOfModel);
  const hasList = list().ops.some(isList);
  if (search) checkProblems(search as AnswersProblems, `\`search\` of ${where}`);
  if (search && !hasList) throw new ConfigurationError(`\`search\` of ${where} is about its list, but \`ops\` has no \`list\`.`);
  if (search && ofModel)
    throw new ConfigurationError(
      `\`search\` of ${where} and that of ${model.name} are two: a list is searched by one of them. Leave one out.`,
    );
  const open = ofModel?.scopeFields.filter((field) => !scopeFields.includes(field.name)) ?? [];
  if (open.length > 0 && hasList)
    throw new ConfigurationError(
      `\`search.scopeFields\` of ${model.name} has ${listNames(open.map((field) => field.name))}, but \`scopeFields\` of ${where} has not: no search of its list would be served. Leave it out of \`search.scopeFields\`, or give ${where} a scope that compares it with one value.`,
    );
}
