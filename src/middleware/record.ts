import type { Included } from '../model/relations/included.ts';
import { JsonOutput } from '../model/value/json-output.ts';
import type { StoredRecord } from '../mongo/stored-record.ts';
import { aFunction, checkOptions, type LegalOptions, trueOrFalse } from '../options.ts';
import type { Context, ResourceMiddleware } from './exchange/context.ts';
import { described } from './exchange/descriptor.ts';
import { exchangeOf, setHeader, setJson } from './exchange/exchange.ts';
import { missing } from './exchange/order.ts';
import { withViews } from './views/asked-rules.ts';

/** Options of {@link record}. */
export interface RecordOptions {
  /** Answers 201 with `Location`, the path of the new record. @default false */
  readonly created?: boolean;
  /** Returns the path of the new record, whose `id` is percent-encoded. @default below that of the request */
  readonly location?: (ctx: Context, id: string) => string;
}

const legal: LegalOptions<RecordOptions> = { created: trueOrFalse, location: aFunction };

/**
 * Answers with `ctx.record`: `{"data": …}` as clients may read it, with its `ETag` if the model has a revision. The
 * records of `ctx.included` are embedded in it and do not affect the `ETag`.
 *
 * @example
 * router.get('/orders/:id', findRecord(Order, { db }), record());
 */
export function record(options: RecordOptions = {}): ResourceMiddleware {
  checkOptions(options, legal, '`record`');
  const { created = false, location = pathBelow } = options;
  return described({ needs: ['record'] }, async function record(ctx) {
    exchangeOf(ctx).throwIfGivenUp();
    const given = ctx.record ?? missing('record', 'record');
    const found = given.model.needsView ? await seen(ctx, given) : given;
    const body = writeData(found, ctx.included); // first: if it fails, the problem must not have the headers of a record
    ctx.status = created ? 201 : 200; // the app may have set another one
    if (created) ctx.set('Location', location(ctx, encodeURIComponent(found.id)));
    if (found.entityTag !== undefined) setHeader(ctx, 'ETag', found.entityTag);
    setJson(ctx, body);
  });
}

/** A middleware that was given a model with rules leaves a record with the fields of all callers. */
async function seen(ctx: Context, found: StoredRecord): Promise<StoredRecord> {
  return withViews(ctx, (see) => found.in(see(found.model)));
}

function pathBelow(ctx: Context, id: string): string {
  return `${requestPath(ctx)}/${id}`;
}

const output = new JsonOutput();

/** In bytes, as they are read. */
function writeData(record: StoredRecord, included: Included | undefined): Buffer {
  output.clear();
  output.text('{"data":');
  record.writeTo(output, included);
  output.text('}');
  return output.take();
}

/**
 * The path as the client sent it, before mounts and rewrites: `ctx.path` lacks the mount of koa-mount, and in a Connect
 * or Express app `ctx.originalUrl` lacks that of the app. If the app trusts a reverse proxy (`app.proxy`),
 * `X-Forwarded-Prefix` names the part that the proxy has removed.
 */
export function requestPath(ctx: Context): string {
  const { originalUrl = ctx.originalUrl } = ctx.req as { readonly originalUrl?: string };
  const [path = '/'] = originalUrl.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '').split('?', 1); // the absolute form of RFC 9112 §3.2.2
  return forwardedPrefix(ctx) + path.replace(/\/+$/, '');
}

/**
 * The path of a record of the resource to which a request was sent. `below` is the path of the operation below the
 * resource, such as `/:id/send`, and `id` is percent-encoded.
 */
export function recordPath(ctx: Context, below: string, id: string): string {
  const segments = requestPath(ctx).split('/');
  const own = below.split('/').filter((segment) => segment !== '').length;
  return [...segments.slice(0, segments.length - own), id].join('/');
}

/**
 * The first of several values is the one of the client's proxy. Anything but a plain path is ignored: `//host` would
 * lead to another server.
 */
function forwardedPrefix(ctx: Context): string {
  if (!ctx.app.proxy) return '';
  const [prefix = ''] = ctx.get('x-forwarded-prefix').split(',', 1);
  return /^(?:\/[\w.~!$&'()*+;=:@%-]+)+\/?$/.test(prefix.trim()) ? prefix.trim().replace(/\/$/, '') : '';
}
