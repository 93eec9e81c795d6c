import { parseQueryString } from '../http/query-string.ts';
import { asCompiled, type ModelInput } from '../model/compile/compile-model.ts';
import { requireDeletedAt } from '../mongo/lifecycle/lifecycle.ts';
import { deletedName, isDeleted, parseDeleted } from '../mongo/list/parse-deleted.ts';
import { aFunction, anArrayOf, checkValue } from '../options.ts';
import type { Called, Context, ResourceMiddleware } from './exchange/context.ts';
import { problemsOf } from './exchange/descriptor.ts';
import { runAlone, step } from './exchange/step.ts';
import { guards } from './guards.ts';

/**
 * Lets clients ask for deleted records of a model with `t.deletedAt()`, if every guard returns `true`: `deleted=only`
 * shows nothing else, and `deleted=with` shows them beside the living ones. It is left in `ctx.deleted` for
 * `listQuery`, `findPage` and `findRecord`. Without it, a list refuses the parameter, and deleted records do not exist.
 *
 * The guards run only for a request with the parameter. 403 if one does not open, 400 for another value.
 *
 * @example
 * router.get('/orders', deleted(Order, [isAdmin]), listQuery(Order, cursorPaging()), findPage(Order, { db }), page());
 */
export function deleted(model: ModelInput, functions: readonly Called<[ctx: Context], boolean | Promise<boolean>>[]): ResourceMiddleware {
  requireDeletedAt(asCompiled(model), '`deleted`');
  checkValue('The second argument of `deleted`', functions, someGuards);
  const open = guards(...functions);
  const problems = (method: string) => ['invalid_query' as const, ...problemsOf(open, method)];
  return step({ problems }, async function deleted(ctx) {
    const parameters = ctx.queryParameters ?? parseQueryString(ctx.querystring, { only: [deletedName] });
    const given = parameters.filter(isDeleted);
    ctx.deleted = 'live';
    if (given.length > 0) {
      await runAlone(open, ctx);
      ctx.deleted = parseDeleted(given);
    }
  });
}

/** At least one, so that a mistake does not open deleted records to everybody. */
const [areFunctions] = anArrayOf('functions', aFunction[0]);
export const someGuards = [
  (value: unknown) => areFunctions(value) && (value as readonly unknown[]).length > 0,
  'an array of at least one function',
] as const;
