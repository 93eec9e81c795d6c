import type { Context, Guard, ScopeFunction } from '../exchange/context.ts';

/** Asks a guard. Only `true` opens, or a promise of it. */
export function askGuard(ctx: Context, guard: Guard<never>): boolean | Promise<boolean> {
  ctx.exchange?.throwIfGivenUp();
  return (guard as Guard)(ctx);
}

/** Asks a `scope` function. `readScope` checks the answer, or that of its promise. */
export function askScope(ctx: Context, scope: ScopeFunction<never>): unknown {
  ctx.exchange?.throwIfGivenUp();
  return (scope as ScopeFunction)(ctx);
}
