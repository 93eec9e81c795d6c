import { ConfigurationError, Problem } from '../errors.ts';
import type { Called, Context, ResourceMiddleware } from './parts/context.ts';

/**
 * Lets a request pass when every guard returns `true`, asked in order; anything else is 403. A guard that stands in several places of a
 * chain runs once per request.
 *
 * @example
 * router.delete('/orders/:id', guards(isSignedIn, isAdmin), removeOrder);
 */
export function guards(...functions: readonly Called<[ctx: Context], boolean | Promise<boolean>>[]): ResourceMiddleware {
  for (const guard of functions) if (typeof guard !== 'function') throw new ConfigurationError('A guard in `guards` must be a function.');
  const asked = [...new Set(functions)];
  return async function guards(ctx, next) {
    ctx.openedGuards ??= new Set();
    for (const guard of asked) {
      if (ctx.openedGuards.has(guard)) continue;
      ctx.exchange?.throwIfGivenUp();
      if ((await guard(ctx)) !== true) throw new Problem({ code: 'forbidden', detail: 'You may not do this.' });
      ctx.openedGuards.add(guard);
    }
    await next();
  };
}
