import { formatLink, type Link } from '../http/link.ts';
import { setQueryParameters } from '../http/query-string.ts';
import type { CursorPlace, OffsetPlace, Page } from '../mongo/list/build-page.ts';
import { bodyOf, writePage } from '../mongo/list/write-page.ts';
import type { Context, ResourceMiddleware } from './exchange/context.ts';
import { described } from './exchange/descriptor.ts';
import { exchangeOf, setHeader, setJson } from './exchange/exchange.ts';
import { missing } from './exchange/order.ts';
import { requestPath } from './record.ts';

/** A `Link` repeats the query up to three times, and HTTP clients refuse an answer with more than 16 KiB of headers. */
const longestLink = 8192;

/**
 * Answers with `ctx.page`: `{"data": […], "page": {…}}`. The records of `ctx.included` are embedded in those of the
 * page. A list has no `ETag`.
 *
 * `page` has `size` and `has_next`; `next_cursor` and `prev_cursor`, or `number` if the list is paged by number;
 * `total` if the client asked for it, and `total_is_estimate` if that is an estimate; `distances` if it asked for those
 * of records around a place. A `Link` header (RFC 8288) leads to the neighbouring pages and repeats the client's query,
 * unless it would be longer than 8 KiB.
 *
 * @example
 * router.get('/orders', listQuery(Order, cursorPaging()), findPage(Order, { db }), page());
 */
export function page(): ResourceMiddleware {
  return described({ needs: ['page'] }, async function page(ctx) {
    const exchange = exchangeOf(ctx);
    exchange.throwIfGivenUp();
    const found = await writePage(ctx.page ?? missing('page', 'page'), exchange.work, ctx.included);
    setLinks(ctx, ctx.queryParameters ? [] : linksOf(ctx, found));
    ctx.status = 200; // the app may have set another one
    setJson(ctx, bodyOf(found));
    letGo(ctx);
  });
}

/**
 * Releases the records, because a client may read its answer slowly. The body is a Buffer for the same reason: Node
 * would hold three copies of a string.
 */
function letGo(ctx: Context): void {
  ctx.page = undefined;
  ctx.included = undefined;
}

/** Sets the `Link` header, unless it would be too long. */
function setLinks(ctx: Context, links: readonly Link[]): void {
  const link = formatLink(links);
  if (link !== '' && link.length <= longestLink) setHeader(ctx, 'Link', link);
}

/** Links an answer to its neighbouring pages by cursor. */
export function linkPages(ctx: Context, place: CursorPlace): void {
  setLinks(ctx, cursorLinks(ctx, place));
}

function linksOf(ctx: Context, { place, hasNext }: Page): Link[] {
  if (place.mode === 'only') return [];
  return place.mode === 'cursor' ? cursorLinks(ctx, place) : numberLinks(ctx, place, hasNext);
}

function cursorLinks(ctx: Context, { next, prev }: CursorPlace): Link[] {
  const links: Link[] = [];
  if (prev !== null) links.push(linkTo(ctx, 'prev', { after: undefined, before: prev }));
  if (next !== null) links.push(linkTo(ctx, 'next', { before: undefined, after: next }));
  return links;
}

/** The next page is linked even if it is too deep: the client then learns why, instead of taking the list for ended. */
function numberLinks(ctx: Context, { number }: OffsetPlace, hasNext: boolean): Link[] {
  const links: Link[] = [];
  if (number > 1) links.push(linkTo(ctx, 'first', { page: '1' }), linkTo(ctx, 'prev', { page: String(number - 1) }));
  if (hasNext) links.push(linkTo(ctx, 'next', { page: String(number + 1) }));
  return links;
}

function linkTo(ctx: Context, rel: string, parameters: Readonly<Record<string, string | undefined>>): Link {
  return { href: `${requestPath(ctx)}?${setQueryParameters(ctx.querystring, parameters)}`, rel };
}
