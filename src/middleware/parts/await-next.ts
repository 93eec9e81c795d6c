import { containBody } from './contain-errors.ts';
import type { ResourceMiddleware } from './context.ts';

/**
 * Waits for what a middleware of the deployer's has begun by `next()` and not awaited, or called twice: such a promise would reject without
 * anybody to hear of it, which ends the process. What is still running when the middleware has ended is awaited in its place.
 */
export function awaitNext(middleware: ResourceMiddleware): ResourceMiddleware {
  return async function awaitNext(ctx, next) {
    ctx.exchange?.throwIfGivenUp();
    containBody(ctx);
    const running = new Set<Promise<unknown>>();
    await middleware(ctx, () => {
      const below = next();
      const end = () => running.delete(below);
      running.add(below);
      below.then(end, end);
      return below;
    });
    await Promise.all(running);
  };
}
