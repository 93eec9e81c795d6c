import { ConfigurationError } from '../../errors.ts';
import { listNames } from '../../hints.ts';
import type { AnswersProblems } from '../../middleware/exchange/context.ts';
import { checkProblems } from '../../middleware/exchange/problem-codes.ts';
import type { SearchOptions } from '../../middleware/exchange/searching.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { isText } from '../../model/compile/compile-search.ts';
import type { CompiledResource } from './compiled-resource.ts';
import type { ResourceDefinition } from './resource-options.ts';
import { isList, type Operation } from './standard-operations.ts';

/** Refuses a search that the resource cannot have, and a scope that does not keep what `search` of the model says. */
export function checkSearch(
  { search, scopeFields = [] }: Pick<ResourceDefinition, 'search' | 'scopeFields'>,
  ops: readonly Operation[],
  { name, search: ofModel }: CompiledModel,
  where: string,
): void {
  if (search) checkProblems(search as AnswersProblems, `\`search\` of ${where}`);
  if (search && !ops.some(isList)) throw new ConfigurationError(`\`search\` of ${where} is about its list, but \`ops\` has no \`list\`.`);
  if (search && ofModel)
    throw new ConfigurationError(`\`search\` of ${where} and that of ${name} are two: a list is searched by one of them. Leave one out.`);
  const open = ofModel?.scopeFields.filter((field) => !scopeFields.includes(field.name)) ?? [];
  if (open.length > 0 && ops.some(isList))
    throw new ConfigurationError(
      `\`search.scopeFields\` of ${name} has ${listNames(open.map((field) => field.name))}, but \`scopeFields\` of ${where} has not: no search of its list would be served. Leave it out of \`search.scopeFields\`, or give ${where} a scope that compares it with one value.`,
    );
}

/** The options of the middlewares that read `q`. */
export function searchOf({ search, searchLimits }: Pick<CompiledResource, 'search' | 'searchLimits'>): SearchOptions {
  return { ...searchLimits, ...(search && { search }) };
}

/**
 * Refuses models of one collection whose text indexes differ, because a collection has one at most, and a model that
 * stores arrays where the text index of another one needs a single value: every write would fail.
 */
export function checkTextIndexes(models: readonly CompiledModel[]): void {
  for (const { search, name, collection } of models) {
    const others = models.filter((one) => search && one.collection === collection);
    for (const other of others) {
      const foreign = [...(other.search ? [other.search] : []), ...other.indexes.filter(({ key }) => isText(key))];
      if (foreign.some(({ key, options }) => JSON.stringify([key, options]) !== JSON.stringify([search?.key, search?.options])))
        throw new ConfigurationError(
          `\`search\` of ${name} and ${other.name} are two text indexes of the collection \`${collection}\`, which can have one: give both models the same.`,
        );
      const array = search?.scopeFields.find((field) =>
        [...other.fieldTable.values()].some(({ arrayPath }) => arrayPath && `${field.path}.`.startsWith(`${arrayPath}.`)),
      );
      if (array)
        throw new ConfigurationError(
          `\`search.scopeFields\` of ${name} has \`${array.name}\`, which is an array, or in one, in ${other.name}, a model of the same collection: the database would refuse to store it.`,
        );
    }
  }
}
