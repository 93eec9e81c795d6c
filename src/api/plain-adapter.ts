import Koa from 'koa';
import type { Context } from '../middleware/parts/context.ts';
import { isSocketError } from '../mongo/driver/outcome.ts';
import { aFunction, checkValue, orUndefined, trueOrFalse } from '../options.ts';
import { noSuchPath } from './dispatch.ts';
import { InProcessRequest } from './in-process-request.ts';
import { type Answering, belowPrefix } from './koa-adapter.ts';

/** Settings of an api that is served without a Koa app around it. In an app its own settings count, and its `app.on('error')`. */
export interface PlainOptions {
  /**
   * Hears of every unexpected error, with Koa's context, where there is no `app.on('error')`: in `callback()` and `fetch()`.
   * @default writes it to standard error, as Koa does
   */
  readonly onError?: (error: Error, ctx: Koa.Context) => void;
  /** Trusts the `X-Forwarded-*` headers of a reverse proxy, as Koa's `app.proxy` does. @default false */
  readonly proxy?: boolean;
}

/** The names of {@link PlainOptions}. */
export const plainOptionNames = ['onError', 'proxy'] as const satisfies readonly (keyof PlainOptions)[];

/** A Koa app of the api alone: it answers everything, OPTIONS and paths outside the prefix included. */
export function compileApp(prefix: string, { answerProbe, around, dispatch }: Answering, { onError, proxy = false }: PlainOptions): Koa {
  checkValue('`proxy`', proxy, trueOrFalse);
  checkValue('`onError`', onError, orUndefined(aFunction));
  const app = new Koa({ proxy });
  const tell = onError ?? ((error: Error) => app.onerror(error));
  app.on('error', (error: Error, ctx: Context) => (isOfConnection(error, ctx) ? undefined : tell(error, ctx)));
  app.use(async function health(ctx: Context, next: Koa.Next) {
    const answered = answerProbe(ctx, belowPrefix(prefix, ctx.path));
    if (!answered) return next();
    await answered;
  });
  app.use(around);
  app.use(async function api(ctx: Context, next: Koa.Next) {
    const below = belowPrefix(prefix, ctx.path);
    if (below === undefined) throw noSuchPath();
    if (ctx.req instanceof InProcessRequest && ctx.req.given) ctx.givenPrincipal = ctx.req.given;
    await dispatch(ctx, below, next);
    if (ctx.req instanceof InProcessRequest && ctx.respond !== false) requireStatus(ctx.status);
  });
  return app;
}

/** Koa tells of connections that clients break off, too: those are no errors of the service. */
function isOfConnection(error: Error, ctx: Context): boolean {
  return (isSocketError(error) || isOfRequest(error)) && ctx.req.socket?.destroyed === true;
}

/** What Node's server says of a request that ends in the middle, goes on as no HTTP, or does not arrive in its time. */
function isOfRequest({ code }: Error & { readonly code?: unknown }): boolean {
  return typeof code === 'string' && (code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT');
}

/** On the network others would do, if hardly; a Response cannot have them (Fetch, "Response class"). */
function requireStatus(status: number): void {
  if (status < 200 || status > 599) throw new Error(`An operation has set the status ${status}, which no Response can have.`);
}
