import type Koa from 'koa';
import type { Context } from './context.ts';
import { reportError, toError } from './report-error.ts';

/**
 * Keeps an error that Koa hears of outside of the chain, as when an answer breaks off, from ending the process: Koa tells `app.on('error')`
 * by an `emit` that nobody catches. For this request alone: how the app treats its other requests is its own affair.
 */
export function containErrors(ctx: Context): void {
  ctx.onerror = onerror;
}

/**
 * Listens to the streams that are set as `ctx.body` from now on. One that fails before Koa reads it, a file that is missing, would be an
 * event that nobody listens to, which ends the process. For where a deployer's function may set one: a standard operation without hooks has none.
 */
export function containBody({ response }: Context): void {
  if (!Object.hasOwn(response, 'body')) Object.defineProperty(response, 'body', body);
}

/** Throws the error of a stream in `ctx.body` that has failed before its answer was begun: it is still a 500, and no broken connection. */
export function requireSoundBody({ body }: Context): void {
  const error: unknown = isStream(body) ? body.errored : undefined;
  if (error !== undefined && error !== null) throw error;
}

/** Koa's own, or that of the app, with an error that it can write on, and listeners that cannot throw through it. */
function onerror(this: Context, thrown: unknown): void {
  if (thrown === null || thrown === undefined) return;
  const error = toError(thrown);
  try {
    const app = Object.create(this.app, { emit: { value: emit } });
    const ctx: Context = Object.create(this, { app: { value: app } });
    Object.getPrototypeOf(this).onerror.call(ctx, Object.isExtensible(error) ? error : new Error(error.message, { cause: error }));
  } catch (failure) {
    reportError(this, failure);
    this.res.destroy();
  }
}

function emit(this: Koa, event: string | symbol, ...given: unknown[]): boolean {
  const app: Koa = Object.getPrototypeOf(this);
  if (event !== 'error') return app.emit(event, ...given);
  const [error, ctx] = given;
  reportError(Object.getPrototypeOf(ctx), error);
  return true;
}

/** One for all requests: it only listens to the streams that pass through. */
const body: PropertyDescriptor = {
  configurable: true,
  get(this: Koa.Response): unknown {
    return Reflect.get(Object.getPrototypeOf(this), 'body', this);
  },
  set(this: Koa.Response, value: unknown) {
    if (isStream(value)) value.on('error', heard);
    Reflect.set(Object.getPrototypeOf(this), 'body', value, this);
  },
};

/** Whoever reads the stream is told as well: Koa, or `requireSoundBody`. */
function heard(): void {}

interface AnyStream {
  on(event: 'error', listener: () => void): unknown;
  readonly errored?: unknown;
}

function isStream(value: unknown): value is AnyStream {
  return typeof value === 'object' && value !== null && 'pipe' in value && 'on' in value && typeof value.on === 'function';
}
