import { parseQueryString } from '../http/query-string.ts';
import { asCompiled, type ModelInput } from '../model/model-input.ts';
import { checkPaging, type Paging, parseListQuery } from '../mongo/list-query.ts';
import type { Includes } from './compile-includes.ts';
import type { ResourceMiddleware } from './context.ts';

/**
 * Parses the query string of a list into `ctx.listQuery` (spec, "List query string"). 400 names everything that is not acceptable, with
 * near misses; a private field is reported as one that does not exist. `include` may name the relations of `includes`.
 *
 * `name` binds cursors to this list: two lists over one model must differ. @default the model's collection
 *
 * @example
 * router.get('/orders', listQuery(Order, cursorPaging({ max: 50 })), findPage(Order, { db }), page());
 */
export function listQuery(model: ModelInput, paging: Paging, name?: string, includes?: Includes): ResourceMiddleware {
  checkPaging(paging);
  const compiled = asCompiled(model);
  const rules = { resource: name ?? compiled.collection, fields: compiled.clientFields, paging, include: includes?.names ?? [] };
  return async function listQuery(ctx, next) {
    ctx.listQuery = parseListQuery(parseQueryString(ctx.querystring), rules);
    await next();
  };
}
