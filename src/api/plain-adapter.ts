import Koa from 'koa';
import { noSuchPath } from '../errors.ts';
import { isOfStream } from '../middleware/exchange/contain-errors.ts';
import type { Context } from '../middleware/exchange/context.ts';
import type { KoaContext, KoaNext } from '../middleware/exchange/koa-context.ts';
import { tryAll } from '../mistakes.ts';
import { isSocketError } from '../mongo/driver/server-error.ts';
import { aFunction, checkValue, orUndefined, trueOrFalse } from '../options.ts';
import { InProcessRequest } from './in-process-request.ts';
import { type Answering, belowPrefix } from './koa-adapter.ts';

/**
 * Settings of an api that is served by `callback()` or `fetch()`. With `routes()` the settings of the app count, and
 * its `app.on('error')`.
 */
export interface PlainOptions {
  /**
   * Called for every unexpected error, with the Koa context.
   * @default writes the error to standard error, as Koa does
   */
  readonly onError?: (error: Error, ctx: KoaContext) => void;
  /** Trusts the `X-Forwarded-*` headers of a reverse proxy, like `app.proxy` of Koa. @default false */
  readonly proxy?: boolean;
}

/** The names of {@link PlainOptions}. */
export const plainOptionNames = ['onError', 'proxy'] as const satisfies readonly (keyof PlainOptions)[];

/** Refuses illegal values of {@link PlainOptions}. */
export function checkPlainOptions({ onError, proxy = false }: PlainOptions): void {
  tryAll([() => checkValue('`proxy`', proxy, trueOrFalse), () => checkValue('`onError`', onError, orUndefined(aFunction))]);
}

/** Creates a Koa app for the api alone. It answers all requests, also OPTIONS and those outside the prefix. */
export function compileApp(prefix: string, { probes, around, dispatch }: Answering, { onError, proxy = false }: PlainOptions): Koa {
  const app = new Koa({ proxy });
  const tell = onError ?? ((error: Error) => app.onerror(error));
  app.on('error', (error: Error, ctx: Context) => (isOfConnection(error, ctx) ? undefined : tell(error, ctx)));
  app.use(async function health(ctx: Context, next: KoaNext) {
    const probe = probes.get(`${ctx.method} ${belowPrefix(prefix, ctx.path)}`);
    await (probe ? probe(ctx, async () => undefined) : next());
  });
  app.use(around);
  app.use(async function api(ctx: Context, next: KoaNext) {
    const below = belowPrefix(prefix, ctx.path);
    if (below === undefined) throw noSuchPath();
    if (ctx.req instanceof InProcessRequest) takeGiven(ctx, ctx.req);
    await dispatch.run(ctx, below, next);
    if (ctx.req instanceof InProcessRequest && ctx.respond !== false) requireStatus(ctx.status);
  });
  return app;
}

function takeGiven(ctx: Context, { given, pageBytes }: InProcessRequest): void {
  if (given) ctx.givenPrincipal = given;
  if (pageBytes !== undefined) ctx.pageBytes = pageBytes;
}

/**
 * Koa also emits an error if a client breaks off its connection, or a reader in process its answer. That is not an
 * error of the service.
 */
function isOfConnection(error: Error, { req, res }: Context): boolean {
  const isGone = req instanceof InProcessRequest ? res.destroyed : req.socket?.destroyed === true;
  return isGone && (isSocketError(error) || isOfRequest(error)) && !isOfStream(error);
}

/** Errors of Node's server about a request that arrives too slowly, or that the client has reset over HTTP/2. */
const requestCodes: readonly unknown[] = ['ERR_HTTP_REQUEST_TIMEOUT', 'ERR_HTTP2_STREAM_ERROR', 'ERR_HTTP2_SESSION_ERROR'];

/** Whether it is one of these, or about a request that is incomplete or is not HTTP. */
function isOfRequest({ code }: Error & { readonly code?: unknown }): boolean {
  return requestCodes.includes(code) || (typeof code === 'string' && code.startsWith('HPE_'));
}

/** A Response cannot have another status (Fetch, "Response class"), although Node can send some. */
function requireStatus(status: number): void {
  if (status < 200 || status > 599) throw new Error(`An operation has set the status ${status}, which a Response cannot have.`);
}
