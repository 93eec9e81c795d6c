import { checkOptions, type LegalOptions, trueOrFalse } from '../options.ts';
import { type Context, needed, type ResourceMiddleware } from './parts/context.ts';
import { exchangeOf } from './parts/exchange.ts';

/** Options of {@link record}. */
export interface RecordOptions {
  /** Answers 201 with `Location`, the path of the new record below the path of the request. @default false */
  readonly created?: boolean;
}

const legal: LegalOptions<RecordOptions> = { created: trueOrFalse };

/**
 * Answers with `ctx.record`: `{"data": …}` of what a client may read, and its `ETag` when the model has a revision. The records of
 * `ctx.included` stand in it, and have no part in the `ETag`.
 *
 * @example
 * router.get('/orders/:id', findRecord(Order, { db }), record());
 */
export function record(options: RecordOptions = {}): ResourceMiddleware {
  checkOptions(options, legal, '`record`');
  const { created = false } = options;
  return async function record(ctx) {
    exchangeOf(ctx).throwIfGivenUp();
    const found = needed(ctx.record, 'findRecord', 'record');
    const text = found.toText(ctx.included);
    ctx.status = created ? 201 : 200; // whatever the app has set before
    if (created) ctx.set('Location', `${requestPath(ctx)}/${encodeURIComponent(found.id)}`);
    if (found.entityTag !== undefined) ctx.set('ETag', found.entityTag);
    ctx.body = `{"data":${text}}`;
    ctx.type = 'json';
  };
}

/**
 * The path as the client sent it, whatever was mounted or rewritten on the way: `ctx.path` lacks the mount of koa-mount, and in a Connect
 * or Express app `ctx.originalUrl` lacks that of the app. What a reverse proxy has taken off is what its `X-Forwarded-Prefix` says, where
 * the app trusts it (`app.proxy`).
 */
export function requestPath(ctx: Context): string {
  const { originalUrl = ctx.originalUrl } = ctx.req as { readonly originalUrl?: string };
  const [path = '/'] = originalUrl.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '').split('?', 1); // the absolute form of RFC 9112 §3.2.2
  return forwardedPrefix(ctx) + path.replace(/\/+$/, '');
}

/** Of several proxies the first one is the client's. Anything but a plain path is ignored: `//host` would lead to another server. */
function forwardedPrefix(ctx: Context): string {
  if (!ctx.app.proxy) return '';
  const [prefix = ''] = ctx.get('x-forwarded-prefix').split(',', 1);
  return /^(?:\/[\w.~!$&'()*+;=:@%-]+)+\/?$/.test(prefix.trim()) ? prefix.trim().replace(/\/$/, '') : '';
}
