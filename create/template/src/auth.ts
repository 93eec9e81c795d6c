import type Koa from 'koa';
import { Unauthorized } from 'koa-mongo-resource';

/** Who sends a request. Scopes, guards and hooks see it as `ctx.principal`. */
export interface User {
  readonly name: string;
}

/**
 * TODO: find out here who sends a request, by your own tokens or sessions.
 *
 * Until then it knows nobody, and every request is 401. `npm run dev` lets the token of DEV_TOKEN in; production never
 * does.
 */
export function authenticate(ctx: Koa.Context): User | undefined {
  const credentials = ctx.get('authorization');
  if (credentials === '') return undefined;
  const { DEV_TOKEN, NODE_ENV } = process.env;
  if (NODE_ENV !== 'production' && DEV_TOKEN && credentials === `Bearer ${DEV_TOKEN}`) return { name: 'developer' };
  throw new Unauthorized('The token is not known.', { 'www-authenticate': 'Bearer' });
}
