import { asCompiled, type ModelInput } from '../model/compile/compile-model.ts';
import { all, fulfilling } from '../mongo/predicate/predicate.ts';
import { readScope } from '../mongo/predicate/read-scope.ts';
import { asRowScope } from '../mongo/predicate/row-scope.ts';
import { aFunction, checkOptions, checkValue, type Legal, type LegalOptions, trueOrFalse } from '../options.ts';
import type { Called, Context, ResourceMiddleware } from './exchange/context.ts';
import { step, whenKnown } from './exchange/step.ts';
import { askScope } from './reach/ask.ts';
import { reachOf } from './reach/reach.ts';

/** Options of {@link scope}. */
export interface RowScopeOptions {
  /**
   * Whether the scope also limits what a client writes: `insert` and `update` then refuse a record that would lie
   * outside.
   * @default true
   */
  readonly writes?: boolean;
}

/** The legal values of a scope. */
export const aScope: Legal = [aFunction[0], 'a function that returns a filter or `everything`'];

const legal: LegalOptions<RowScopeOptions> = { writes: trueOrFalse };

/**
 * Limits the request to the rows that match a filter: the filter is part of every query, and a record outside of it is
 * 404. Like `USING` and `WITH CHECK` of a row policy in SQL, it also limits what a client writes, if it is above
 *   `insert` or `update`: a record that would lie outside is 422. Below another `scope` it narrows that one and never
 *   replaces it.
 *
 * A scope that throws, or that returns nothing, `{}`, an undefined value or a condition that every record fulfils (an
 * empty `nin` or `prefix`), gives no access: the answer is 500, and `app.on('error')` receives the reason.
 *
 * @example
 * router.get(
 *   '/orders/:id',
 *   scope(Order, (ctx) => ({ owner: ctx.state.user.name })),
 *   findRecord(Order, { db }),
 *   record(),
 * );
 */
export function scope(model: ModelInput, filterOf: Called<[ctx: Context], unknown>, options: RowScopeOptions = {}): ResourceMiddleware {
  checkValue('`scope`', filterOf, aScope);
  checkOptions(options, legal, '`scope`');
  const { writes = true } = options;
  const compiled = asCompiled(model);
  return step({ problems: ['internal'] }, function scope(ctx) {
    return whenKnown(askScope(ctx, filterOf), (answer) => {
      reachOf(ctx).keepOwn(filterOf, answer);
      const conditions = readScope(answer, compiled.scopeFields);
      if (writes) ctx.writeScope = ctx.writeScope ? [...ctx.writeScope, ...conditions] : conditions;
      ctx.scope = asRowScope(all(fulfilling(conditions), ctx.scope), compiled, ctx.writeScope ?? []);
    });
  });
}
