import { Problem } from '../errors.ts';
import { jsonType, patchTypes } from '../http/media-type.ts';
import type { Context } from '../middleware/exchange/context.ts';
import type { Route } from './route.ts';

type Routes = readonly Pick<Route, 'method' | 'readsJson'>[];

/** The methods of a path, as a 405 names them. */
function methodsOf(routes: Routes): string[] {
  return routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

/**
 * Answers OPTIONS (RFC 9110 §9.3.7, RFC 5789 §3.1) before the chain of an operation, so that no credentials are needed.
 */
export function describeOptions(ctx: Context, routes: Routes): void {
  ctx.status = 204;
  ctx.set('Allow', [...methodsOf(routes), 'OPTIONS'].join(', '));
  if (routes.some(({ readsJson }) => readsJson)) ctx.set('Accept', jsonType);
  if (routes.some(({ method, readsJson }) => method === 'PATCH' && readsJson)) ctx.set('Accept-Patch', patchTypes);
  if (routes.some(({ method }) => method === 'QUERY')) ctx.set('Accept-Query', jsonType);
}

/** The 405 of a path, with the methods that it has. */
export function methodNotAllowed(routes: Routes): Problem {
  const allow = methodsOf(routes).join(', ');
  return new Problem({ code: 'method_not_allowed', detail: `Allowed here: ${allow}.`, headers: { allow } });
}
