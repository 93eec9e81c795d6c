import type Koa from 'koa';
import { type RequestContext, Unauthorized } from 'koa-mongo-resource';

/** Who may call: what guards, scopes and hooks find in `ctx.principal`. */
export interface User {
  readonly name: string;
  readonly admin: boolean;
}

/** A real service keeps hashes of tokens, or verifies signed ones. */
export const tokens: ReadonlyMap<string, User> = new Map([
  ['ann-token', { name: 'ann', admin: false }],
  ['bob-token', { name: 'bob', admin: false }],
  ['root-token', { name: 'root', admin: true }],
]);

// RFC 6750 §3: a challenge names its realm, and an error only to whoever has sent a token.
const challenge = { 'www-authenticate': 'Bearer realm="orders"' };
const badToken = { 'www-authenticate': 'Bearer realm="orders", error="invalid_token"' };

/**
 * No credentials make an anonymous caller, about whom the guards decide. Credentials that we do not know are refused at
 * once.
 */
export function authenticate(ctx: Koa.Context): User | undefined {
  const credentials = ctx.get('authorization');
  if (credentials === '') return undefined;
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(credentials) ?? [];
  const user = tokens.get(token);
  if (!user) throw new Unauthorized('Send a token that is known here, as `Authorization: Bearer <token>`.', token ? badToken : challenge);
  return user;
}

/** A guard: 401 for an anonymous caller. */
export function signedIn(ctx: RequestContext<User>): boolean {
  if (!ctx.principal) throw new Unauthorized('Sign in: send `Authorization: Bearer <token>`.', challenge);
  return true;
}

/** A guard: 403 for everybody else. */
export function isAdmin(ctx: RequestContext<User>): boolean {
  return ctx.principal?.admin === true;
}
