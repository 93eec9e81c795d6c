import { matchesWeak, readEntityTags } from '../http/entity-tag.ts';
import type { Context, ResourceMiddleware } from './exchange/context.ts';
import { described } from './exchange/descriptor.ts';
import type { KoaNext } from './exchange/koa-context.ts';
import { onlyFor } from './exchange/step.ts';

/**
 * Answers 304 without a body if `If-None-Match` names the `ETag` that the middlewares below have set on a 200 (RFC 9110
 * §13.1.2). The header may be a list of tags, have weak tags, or be `*`. Without an `ETag` nothing is compared. A
 * malformed header is ignored. So is every header of a request with `include`, because the included records may have
 * changed while the record's own tag has not, and of one for a record of which callers see different fields.
 *
 * @example
 * router.get('/report', notModified(), sendReport);
 */
export function notModified(): ResourceMiddleware {
  async function notModified(ctx: Context, next: KoaNext): Promise<void> {
    await next();
    const header = ctx.req.headers['if-none-match'];
    const entityTag: string | undefined = ctx.response.get('ETag'); // undefined if it is not set, unlike what Koa's types say
    if (header === undefined || !entityTag || ctx.status !== 200 || ctx.include || isViewed(ctx)) return;
    const tags = readEntityTags(header);
    if (!tags || !matchesWeak(tags, opaqueTag(entityTag))) return;
    ctx.status = 304;
    ctx.body = null;
    ctx.status = 304; // Koa sets 204 for an empty body
  }
  return described({ problems: [] }, onlyFor(['if-none-match'], notModified));
}

/** One tag stands for the record in all views. */
function isViewed({ record, view }: Context): boolean {
  return record?.model.hasReadRules === true || view?.model.hasReadRules === true;
}

function opaqueTag(entityTag: string): string {
  return entityTag.replace(/^W\//, '').slice(1, -1);
}
