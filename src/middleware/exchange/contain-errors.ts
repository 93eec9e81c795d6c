import type Koa from 'koa';
import type { Context } from './context.ts';
import { cutOff } from './cut-off.ts';
import { reportError, toError } from './report-error.ts';

/**
 * Prevents an error that Koa meets outside of the chain, such as an answer that breaks off, from ending the process:
 * Koa emits it on the app, and a listener may throw. It changes this request only, not the app.
 */
export function containErrors(ctx: Context): void {
  ctx.onerror = onerror;
}

/**
 * Listens for errors of the streams that are set as `ctx.body` from now on. If a stream failed before Koa reads it, as
 * for a missing file, its unhandled `error` event would end the process. It is only needed where a user's function may
 * set a body: a standard operation without hooks has none.
 */
export function containBody({ response }: Context): void {
  if (!Object.hasOwn(response, 'body')) Object.defineProperty(response, 'body', body);
}

/**
 * Throws the error of a stream in `ctx.body` that failed before the answer was begun. The answer is then a 500 and not
 * a broken connection.
 */
export function requireSoundBody({ body }: Context): void {
  const error: unknown = isStream(body) ? body.errored : undefined;
  if (error !== undefined && error !== null) throw error;
}

/**
 * Calls Koa's own `onerror`, or that of the app, with an error that can be written to and listeners that cannot throw.
 */
function onerror(this: Context, thrown: unknown): void {
  if (thrown === null || thrown === undefined) return;
  if (this.exchange?.isStreaming) return; // such a stream tells its own errors: here its client has gone, or it was cut
  const error = toError(thrown);
  try {
    if (this.exchange?.isEndedBy(error))
      cutOff(this.res); // no bug: the service shuts down
    else callOnerror(this, error);
  } catch (failure) {
    reportError(this, failure);
    cutOff(this.res);
  }
}

function callOnerror(context: Context, error: Error): void {
  const app = Object.create(context.app, { emit: { value: emit } });
  const ctx: Context = Object.create(context, { app: { value: app } });
  Object.getPrototypeOf(context).onerror.call(ctx, Object.isExtensible(error) ? error : new Error(error.message, { cause: error }));
}

function emit(this: Koa, event: string | symbol, ...given: unknown[]): boolean {
  const app: Koa = Object.getPrototypeOf(this);
  if (event !== 'error') return app.emit(event, ...given);
  const [error, ctx] = given;
  reportError(Object.getPrototypeOf(ctx), error);
  return true;
}

/** One descriptor for all requests. It only listens to the streams that are set. */
const body: PropertyDescriptor = {
  configurable: true,
  get(this: Koa.Response): unknown {
    return Reflect.get(Object.getPrototypeOf(this), 'body', this);
  },
  set(this: Koa.Response, value: unknown) {
    const { res } = this;
    if (isStream(value)) value.on('error', (error) => res.destroyed || note(error));
    Reflect.set(Object.getPrototypeOf(this), 'body', value, this);
  },
};

/** The errors that streams have failed with by themselves. A stream whose answer was broken off has an error, too. */
const ofStreams = new WeakSet<object>();

/** The reader of the stream, Koa or `requireSoundBody`, receives the error as well. */
function note(error: unknown): void {
  if (typeof error === 'object' && error !== null) ofStreams.add(error);
}

/** Whether a stream in `ctx.body` has failed with this error by itself, and not because its client has gone. */
export function isOfStream(error: object): boolean {
  return ofStreams.has(error);
}

interface AnyStream {
  on(event: 'error', listener: (error: unknown) => void): unknown;
  readonly errored?: unknown;
}

function isStream(value: unknown): value is AnyStream {
  return typeof value === 'object' && value !== null && 'pipe' in value && 'on' in value && typeof value.on === 'function';
}
