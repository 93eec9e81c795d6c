import { errorMonitor } from 'node:events';
import { inspect, types } from 'node:util';
import type { Context } from './context.ts';

/**
 * Reports an error to the listeners of `app.on('error')`. They are called one by one and not by `emit`: a listener that
 * throws or rejects must neither change the answer nor end the process. Both errors then go to standard error.
 */
export function reportError(ctx: Context, error: unknown): void {
  const { app } = ctx;
  const reported = toError(error);
  const listeners = app.rawListeners('error');
  if (listeners.length === 0) console.error(describe(reported));
  for (const listener of [...app.rawListeners(errorMonitor), ...listeners]) void tell(() => listener.call(app, reported, ctx), reported);
}

/**
 * Returns the thrown value as an Error. Koa's own listener accepts nothing else, and a Proxy may throw at every access.
 */
export function toError(thrown: unknown): Error {
  return isError(thrown) ? thrown : new Error(`Thrown: ${typeof thrown === 'string' ? thrown : show(thrown)}`, { cause: thrown });
}

async function tell(listener: () => unknown, error: Error): Promise<void> {
  try {
    await listener();
  } catch (failure) {
    console.error(`A listener for errors failed: ${describe(failure)}\nIt was told of: ${describe(error)}`);
  }
}

function isError(thrown: unknown): thrown is Error {
  try {
    return types.isNativeError(thrown) || (!types.isProxy(thrown) && thrown instanceof Error);
  } catch {
    return false; // a prototype that is a Proxy
  }
}

function describe(error: unknown): string {
  try {
    const stack = isError(error) && error.stack;
    return typeof stack === 'string' ? stack : show(error);
  } catch {
    return show(error);
  }
}

function show(value: unknown): string {
  try {
    return inspect(value);
  } catch {
    return 'something that cannot be shown';
  }
}
