import type Koa from 'koa';
import { Unauthorized } from '../errors.ts';
import { aFunction, checkValue } from '../options.ts';
import { canAnswer } from './parts/can-answer.ts';
import type { Context, ResourceMiddleware } from './parts/context.ts';

/**
 * Turns a request into a principal, or into nothing for an anonymous one: undefined, null, false, `''`, NaN and any zero are nobody. It may
 * throw {@link Unauthorized} with headers.
 */
export type Authenticate<Principal> = (ctx: Koa.Context) => Principal | null | undefined | Promise<Principal | null | undefined>;

/**
 * Finds out who is calling: leaves `ctx.principal` and `ctx.requirePrincipal()`, which throws 401 for an anonymous request. Deciding who
 * may pass is for the guards: those that opened above it, for whoever that was, are asked again below. Where an in-process call has given a
 * principal, that one counts and `identify` is not called.
 *
 * @example
 * app.use(authenticate((ctx) => sessions.get(ctx.get('authorization'))));
 */
export function authenticate<Principal>(identify: Authenticate<Principal>): ResourceMiddleware {
  checkValue('`authenticate`', identify, aFunction);
  return canAnswer(['unauthorized', 'internal'], setPrincipalBy(identify));
}

/** Stands in the place of `authenticate` where an api has none: nobody is asked for credentials. */
export const anonymous = setPrincipalBy(() => undefined);

function setPrincipalBy(identify: Authenticate<unknown>): ResourceMiddleware {
  return async function authenticate(ctx, next) {
    const found = ctx.givenPrincipal ? ctx.givenPrincipal.principal : await identify(ctx);
    setPrincipal(ctx, found || undefined);
    ctx.openedGuards = undefined;
    await next();
  };
}

function setPrincipal(ctx: Context, principal: unknown): void {
  ctx.principal = principal;
  ctx.requirePrincipal = () => {
    if (principal === undefined) throw new Unauthorized();
    return principal;
  };
}
