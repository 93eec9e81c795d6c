import { ConfigurationError } from '../errors.ts';
import { asCompiled, type ModelInput } from '../model/model-input.ts';
import { buildScope } from '../mongo/filter.ts';
import type { Called, Context, ResourceMiddleware } from './context.ts';

/** Returns the rows that this request may touch: a filter of values or the library's own operators, or `everything`. */
export type ScopeFunction<Ctx = Context> = (ctx: Ctx) => unknown;

/**
 * Leaves the row filter that stands in every query of this request (spec, "Authentication" 3): a record outside is 404. A scope that throws
 * or returns nothing, `{}`, a value that is undefined, or nothing but an empty `nin` is a closed door: 500, and `app.on('error')` tells why.
 *
 * @example
 * router.get('/orders/:id', scope(Order, (ctx) => ({ owner: ctx.state.user.name })), findRecord(Order, { db }), record());
 */
export function scope(model: ModelInput, filterOf: Called<[ctx: Context], unknown>): ResourceMiddleware {
  if (typeof filterOf !== 'function') throw new ConfigurationError('`scope` must be a function that returns a filter or `everything`.');
  const { scopeFields } = asCompiled(model);
  return async function scope(ctx, next) {
    ctx.scope = buildScope(await filterOf(ctx), scopeFields);
    await next();
  };
}
