import type { ResourceMiddleware } from '../exchange/context.ts';
import { described, problemsOf } from '../exchange/descriptor.ts';
import { passesOf } from '../exchange/order.ts';
import { takeBackIfLost } from '../exchange/remember-state.ts';
import { composeChain, named, runAlone } from '../exchange/step.ts';

/**
 * The end of the chain of an operation that writes: the write, the hooks of `after`, and the answer. If something above
 * has set `ctx.carryOut`, that carries out the write, and the answer is made before the commit and before the hooks: a
 * batch and an `Idempotency-Key` need it then.
 */
export function carried(write: ResourceMiddleware, hooks: readonly ResourceMiddleware[], answer: ResourceMiddleware): ResourceMiddleware {
  const parts = [write, ...hooks, answer];
  const whole = composeChain(parts);
  const answering = composeChain([write, answer]);
  const problems = (method: string) => parts.flatMap((part) => problemsOf(part, method));
  const carrying = named(whole.name, async (ctx, next) => {
    const { carryOut } = ctx;
    if (!carryOut) return whole(ctx, next);
    await carryOut(async () => {
      takeBackIfLost(ctx);
      await runAlone(answering, ctx);
    });
    for (const hook of hooks) await runAlone(hook, ctx);
  });
  return described({ problems, ...passesOf(parts) }, carrying);
}
