import { Problem } from '../errors.ts';
import { aFunction, checkValue } from '../options.ts';
import type { Called, Context, Guard, ResourceMiddleware } from './exchange/context.ts';
import { problemsOf } from './exchange/descriptor.ts';
import { step, whenKnown } from './exchange/step.ts';
import { askGuard } from './reach/ask.ts';

/**
 * Lets a request pass if every guard returns `true`; otherwise it is 403. Guards are asked in order. A guard in several
 * places of a chain runs once for each request.
 *
 * @example
 * router.delete('/orders/:id', guards(isSignedIn, isAdmin), removeOrder);
 */
export function guards(...functions: readonly Called<[ctx: Context], boolean | Promise<boolean>>[]): ResourceMiddleware {
  for (const guard of functions) checkValue('A guard in `guards`', guard, aFunction);
  const asked = [...new Set(functions)];
  const own = asked.length === 0 ? [] : (['unauthorized', 'forbidden', 'internal'] as const);
  const problems = (method: string) => [...own, ...asked.flatMap((guard: Guard) => problemsOf(guard, method))];
  return step({ problems, kind: 'guards' }, function guards(ctx) {
    ctx.openedGuards ??= new Set();
    return ask(asked, 0, ctx);
  });
}

function ask(guards: readonly Guard[], from: number, ctx: Context): void | Promise<void> {
  const next = guards.findIndex((guard, index) => index >= from && !ctx.openedGuards?.has(guard));
  const guard = guards[next];
  if (!guard) return;
  return whenKnown(askGuard(ctx, guard), (isOpen) => {
    if (isOpen !== true) throw new Problem({ code: 'forbidden', detail: 'You may not do this.' });
    ctx.openedGuards?.add(guard);
    return ask(guards, next + 1, ctx);
  });
}
