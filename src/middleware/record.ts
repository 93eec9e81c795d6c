import { type Context, needed, type ResourceMiddleware } from './context.ts';

/** Options of {@link record}. */
export interface RecordOptions {
  /** Answers 201 with `Location`, the path of the new record below the path of the request. @default false */
  readonly created?: boolean;
}

/**
 * Answers with `ctx.record`: `{"data": …}` of what a client may read, and its `ETag` when the model has a revision.
 *
 * @example
 * router.get('/orders/:id', findRecord(Order, { db }), record());
 */
export function record({ created = false }: RecordOptions = {}): ResourceMiddleware {
  return async function record(ctx) {
    const found = needed(ctx.record, 'findRecord', 'record');
    if (created) {
      ctx.status = 201;
      ctx.set('Location', `${requestPath(ctx)}/${encodeURIComponent(found.id)}`);
    }
    if (found.entityTag !== undefined) ctx.set('ETag', found.entityTag);
    ctx.body = `{"data":${found.toText()}}`;
    ctx.type = 'json';
  };
}

/** The path as the client sent it, whatever was mounted or rewritten on the way: `ctx.path` lacks the mount of koa-mount. */
export function requestPath(ctx: Context): string {
  const [path = '/'] = ctx.originalUrl.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '').split('?', 1); // the absolute form of RFC 9112 §3.2.2
  return path.replace(/\/+$/, '');
}
