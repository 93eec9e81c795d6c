import { matchesWeak, readEntityTags } from '../http/entity-tag.ts';
import type { ResourceMiddleware } from './parts/context.ts';

/**
 * Answers 304 without a body when `If-None-Match` names the `ETag` that the middlewares below it have set on a 200 (RFC 9110 §13.1.2):
 * lists, weak tags and `*`. Without an ETag nothing is compared. A malformed header is ignored, as is every one where `include` embeds
 * records: they may have changed while the record's own tag has not.
 *
 * @example
 * router.get('/report', notModified(), sendReport);
 */
export function notModified(): ResourceMiddleware {
  return async function notModified(ctx, next) {
    await next();
    const header = ctx.req.headers['if-none-match'];
    const entityTag: string | undefined = ctx.response.get('ETag'); // undefined when it is not set, whatever Koa's types say
    if (header === undefined || !entityTag || ctx.status !== 200 || ctx.include) return;
    const tags = readEntityTags(header);
    if (!tags || !matchesWeak(tags, opaqueTag(entityTag))) return;
    ctx.status = 304;
    ctx.body = null;
    ctx.status = 304; // an empty body makes it 204
  };
}

function opaqueTag(entityTag: string): string {
  return entityTag.replace(/^W\//, '').slice(1, -1);
}
