import type { Context } from './context.ts';

/** Tells `app.on('error')`. Koa's own listener takes nothing but errors. */
export function reportError(ctx: Context, error: unknown): void {
  ctx.app.emit('error', error instanceof Error ? error : new Error(`Thrown: ${String(error)}`, { cause: error }), ctx);
}
