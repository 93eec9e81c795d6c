import { Problem } from '../errors.ts';
import { checkOptions, type LegalOptions } from '../options.ts';
import type { ResourceMiddleware } from './exchange/context.ts';
import { described } from './exchange/descriptor.ts';
import { readTrustedOrigins } from './exchange/trusted-origins.ts';

/** Options of {@link crossOrigin}. */
export interface CrossOriginOptions {
  /**
   * Origins of other sites whose pages may write, each in the form that browsers send: `https://app.example`.
   *
   * @default none
   */
  readonly trustedOrigins?: readonly string[];
}

const legal: LegalOptions<CrossOriginOptions> = { trustedOrigins: [Array.isArray, 'a list of origins such as `https://app.example`'] };
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY']);

/**
 * Refuses requests that a page of another origin makes a browser send with its user's cookies (cross-site request
 * forgery): 403. Place it above `authenticate`. It is needed if `authenticate` reads cookies or anything else that
 * browsers send by themselves.
 *
 * The rules are those of Go's `http.CrossOriginProtection` and need no token. GET, HEAD and OPTIONS pass, because they
 * must not write. If the request has `Sec-Fetch-Site`, which every browser sends to https and localhost since 2023,
 * `same-origin` and `none` pass. Otherwise `Origin` decides: a request without one does not come from a browser and
 * passes, and so does one of the same host. A trusted origin always passes.
 *
 * @example
 * app.use(crossOrigin({ trustedOrigins: ['https://app.example'] }));
 * app.use(authenticate((ctx) => sessions.get(ctx.cookies.get('session') ?? '')));
 */
export function crossOrigin(options: CrossOriginOptions = {}): ResourceMiddleware {
  checkOptions(options, legal, '`crossOrigin`');
  const trusted = readTrustedOrigins(options.trustedOrigins ?? [], '`crossOrigin`');
  return described({ problems: (method) => (safeMethods.has(method) ? [] : ['cross_origin']) }, async function crossOrigin(ctx, next) {
    const origin = ctx.get('Origin');
    const isOwn = safeMethods.has(ctx.method) || isSameOrigin(ctx.get('Sec-Fetch-Site'), origin, ctx.host);
    if (!isOwn && !trusted.has(origin))
      throw new Problem({ code: 'cross_origin', detail: 'A page of another origin may not send this request.' });
    await next();
  });
}

function isSameOrigin(site: string, origin: string, host: string): boolean {
  if (site !== '') return site === 'same-origin' || site === 'none';
  return origin === '' || hostOf(origin) === host;
}

/** The host of an origin as it is written, with its port. A browser leaves a default port out of `Host`, too. */
function hostOf(origin: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]+)$/i.exec(origin)?.[1];
}
