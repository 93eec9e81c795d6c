import type Koa from 'koa';
import { type Database, openStore, type RequestContext, Unauthorized } from 'koa-mongo-resource';
import { User } from './model.ts';
import { verify } from './password.ts';

/** The caller. */
export interface Caller {
  readonly email: string;
  readonly tenant: string;
}

const challenge = { 'www-authenticate': 'Basic realm="billing", charset="UTF-8"' };

/**
 * Basic authentication against the users (RFC 7617): the store of their model finds them, and no client ever sees a
 * hash.
 */
export function authenticateBy(db: Database): (ctx: Koa.Context) => Promise<Caller | undefined> {
  const users = openStore(User, { db });
  return async function authenticate(ctx) {
    const header = ctx.get('authorization');
    if (header === '') return undefined;
    const [, encoded = ''] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(header) ?? [];
    const [, email = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
    const [user] = await users.find({ email }, { limit: 1 });
    if (!user || !(await verify(password, user.password)))
      throw new Unauthorized('Send an e-mail address and a password that are known here.', challenge);
    return { email: user.email, tenant: user.tenant };
  };
}

/** A guard: 401 for an anonymous caller. */
export function signedIn(ctx: RequestContext<Caller>): boolean {
  if (!ctx.principal) throw new Unauthorized('Sign in with Basic authentication.', challenge);
  return true;
}
