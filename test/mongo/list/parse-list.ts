import { Problem } from '../../../src/errors.ts';
import { parseJson, stringifyJson } from '../../../src/http/json.ts';
import { parametersIn } from '../../../src/http/query-body.ts';
import { parseQueryString } from '../../../src/http/query-string.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { noRelations } from '../../../src/model/relations/includable.ts';
import { settingKinds } from '../../../src/mongo/list/list-settings.ts';
import { type ListContext, type ListQuery, type ListRules, parseListQuery } from '../../../src/mongo/list/parse-list-query.ts';
import { cursorPaging } from '../../../src/resource/define/paging.ts';
import { Item } from '../../support/models/item.ts';

const rules: ListRules = {
  resource: 'items',
  fields: compileModel(Item).clientFields,
  paging: cursorPaging({ max: 50, size: 20, total: true }),
  selector: undefined,
  includes: noRelations,
  maxFilterValues: 3,
  maxPrefix: 4,
  maxContainsMatches: 10,
  maxSortKeys: 3,
};

/** What a list of items makes of a query string, or of a body: a text that begins with a brace. */
export function parseList(query: string, others: Partial<ListRules> = {}, asked: ListContext = {}): ListQuery {
  const parameters = query.startsWith('{') ? parametersIn(parseJson(query), settingKinds) : parseQueryString(query);
  return parseListQuery(parameters, { ...rules, ...others }, asked);
}

/**
 * The errors that are found in one, each as a line: the parameter, the rule, what is said, and the `params` for
 * programs.
 */
export function refusalsOf(query: string, others: Partial<ListRules> = {}, asked: ListContext = {}): string[] {
  try {
    parseList(query, others, asked);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const lines = error.errors?.map(({ field, rule, message, params = {} }) => `${field} ${rule}: ${message} ${stringifyJson(params)}`);
    return [error.code, ...(lines ?? [])];
  }
  throw new Error(`${query} is not refused`);
}
