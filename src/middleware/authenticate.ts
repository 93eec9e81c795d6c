import { Unauthorized } from '../errors.ts';
import { aFunction, checkValue } from '../options.ts';
import type { Context, ResourceMiddleware } from './exchange/context.ts';
import type { KoaContext } from './exchange/koa-context.ts';
import { step, whenKnown } from './exchange/step.ts';

/**
 * Returns the principal of a request. A falsy value (undefined, null, false, `''`, NaN, 0) means that the request is
 * anonymous. It may throw {@link Unauthorized} with headers.
 */
export type Authenticate<Principal, App = KoaContext> = (ctx: App) => Principal | null | undefined | Promise<Principal | null | undefined>;

/**
 * Finds out who sends the request. It leaves `ctx.principal`, and `ctx.requirePrincipal()`, which throws 401 for an
 * anonymous request. Guards decide who may pass; guards that opened above this middleware are asked again below it. If
 * an in-process call has given a principal, that one is used and `identify` is not called.
 *
 * @example
 * app.use(authenticate((ctx) => sessions.get(ctx.get('authorization'))));
 */
export function authenticate<Principal>(identify: Authenticate<Principal>): ResourceMiddleware {
  checkValue('`authenticate`', identify, aFunction);
  return step({ problems: ['unauthorized', 'internal'] }, function authenticate(ctx) {
    if (ctx.givenPrincipal) return setPrincipal(ctx, ctx.givenPrincipal.principal);
    return whenKnown(identify(ctx), (found) => setPrincipal(ctx, found));
  });
}

/** Replaces `authenticate` in an api without one: every request is anonymous, and none is refused. */
export const anonymous = step({}, function authenticate(ctx) {
  setPrincipal(ctx, ctx.givenPrincipal?.principal);
});

/** Without rules, a middleware shows what every caller sees. The view of an operation cannot change any more. */
function forgetRules(ctx: Context): void {
  if (ctx.view?.model.held)
    throw new Error('`authenticate` in an operation found another principal than that of the api, whose view the operation has by then.');
  ctx.rules = undefined; // and not deleted: below the context of a stream, that one would show its own
}

function setPrincipal(ctx: Context, found: unknown): void {
  const principal = found || undefined;
  if (ctx.rules && principal !== ctx.principal) forgetRules(ctx);
  ctx.openedGuards = undefined;
  ctx.principal = principal;
  ctx.requirePrincipal = () => {
    if (principal === undefined) throw new Unauthorized();
    return principal;
  };
}
