import { formatLink } from '../http/link.ts';
import { setQueryParameter } from '../http/query-string.ts';
import { needed, type ResourceMiddleware } from './context.ts';
import { requestPath } from './record.ts';

/**
 * Answers with `ctx.page`: `{"data": […], "page": {"size", "has_next", "next_cursor", "total"?}}`, and a `Link` to the next page
 * (RFC 8288) that repeats the client's own query. A list has no ETag. The records of `ctx.embedded` stand in those of the page.
 *
 * @example
 * router.get('/orders', listQuery(Order, cursorPaging()), findPage(Order, { db }), page());
 */
export function page(): ResourceMiddleware {
  return async function page(ctx) {
    const { records, size, nextCursor, total } = needed(ctx.page, 'findPage', 'page');
    const data = records.map((one) => one.toText(ctx.embedded)).join(',');
    const about = { size, has_next: nextCursor !== null, next_cursor: nextCursor, ...(total === undefined ? {} : { total }) };
    if (nextCursor !== null) {
      const href = `${requestPath(ctx)}?${setQueryParameter(ctx.querystring, 'after', nextCursor)}`;
      ctx.set('Link', formatLink([{ href, rel: 'next' }]));
    }
    ctx.body = `{"data":[${data}],"page":${JSON.stringify(about)}}`;
    ctx.type = 'json';
  };
}
