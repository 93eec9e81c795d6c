import compose from 'koa-compose';
import { canAnswer, problemsOf } from './can-answer.ts';
import type { ResourceMiddleware } from './context.ts';
import { rememberState } from './remember-state.ts';

/**
 * The end of the chain of an operation that writes: the write, the hooks of `after`, and the answer. If something above has set `ctx.carryOut`,
 * that carries out the write, and the answer is made before the commit and before the hooks: a batch and an `Idempotency-Key` need it then.
 */
export function carried(write: ResourceMiddleware, hooks: readonly ResourceMiddleware[], answer: ResourceMiddleware): ResourceMiddleware {
  const parts = [write, ...hooks, answer];
  const alone = compose([...parts]) as ResourceMiddleware;
  const problems = (method: string) => parts.flatMap((part) => problemsOf(part, method));
  return canAnswer(problems, async function carried(ctx, next) {
    const { carryOut } = ctx;
    if (!carryOut) return alone(ctx, next);
    const takeBack = rememberState(ctx);
    await carryOut(async () => {
      takeBack();
      await write(ctx, () => answer(ctx, ended));
    });
    for (const hook of hooks) await hook(ctx, ended);
  });
}

async function ended(): Promise<void> {}
