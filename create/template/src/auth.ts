import type Koa from 'koa';
import { Unauthorized } from 'koa-mongo-resource';

/** Who sends a request. Scopes, guards and hooks see it as `ctx.principal`. */
export interface User {
  readonly name: string;
}

/**
 * TODO: find out here who sends a request, by your own tokens or sessions.
 *
 * Until then it knows nobody, and every request is 401. `npm run dev` lets the token of DEV_TOKEN in, from this
 * machine; production never does.
 */
export function authenticate(ctx: Koa.Context): User | undefined {
  const credentials = ctx.get('authorization');
  if (credentials === '') return undefined;
  const { DEV_TOKEN, NODE_ENV } = process.env;
  if (NODE_ENV !== 'production' && DEV_TOKEN && isLocal(ctx) && credentials === `Bearer ${DEV_TOKEN}`) return { name: 'developer' };
  throw new Unauthorized('The token is not known.', { 'www-authenticate': 'Bearer' });
}

/**
 * Whether a request comes from this machine, and is meant for it: a page of another site may send one to a name of its
 * own that leads here. A request within this process, as those of the tests, has no address.
 */
function isLocal({ req, hostname }: Koa.Context): boolean {
  const { remoteAddress = '127.0.0.1' } = req.socket;
  return /^(?:(?:::ffff:)?127\.0\.0\.1|::1)$/.test(remoteAddress) && /^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(hostname);
}
