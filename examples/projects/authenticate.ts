import type Koa from 'koa';
import { type Document, type RequestContext, type Store, Unauthorized } from 'koa-mongo-resource';
import type { Member } from './model.ts';

/** The caller is a member of a workspace. */
export type Caller = Document<typeof Member>;

const challenge = { 'www-authenticate': 'Bearer realm="projects"' };

/** Finds the member whose token it is. */
export async function authenticate(ctx: Koa.Context, members: Store<typeof Member>): Promise<Caller | undefined> {
  const [, token] = /^Bearer +(\S+)$/i.exec(ctx.get('authorization')) ?? [];
  if (token === undefined) return undefined;
  const [member] = await members.find({ token }, { limit: 1 });
  if (!member) throw new Unauthorized('Send a token that is known here, as `Authorization: Bearer <token>`.', challenge);
  return member;
}

/** A guard: 401 for an anonymous caller. */
export function signedIn(ctx: RequestContext<Caller>): boolean {
  if (!ctx.principal) throw new Unauthorized('Sign in: send `Authorization: Bearer <token>`.', challenge);
  return true;
}

/** A guard: 403 for everybody else. */
export function isAdmin(ctx: RequestContext<Caller>): boolean {
  return ctx.principal?.isAdmin === true;
}
