import { Problem } from '../errors.ts';
import { type EntityTags, matchesStrong, parseEntityTags } from '../http/entity-tag.ts';
import { aFunction, checkOptions, type LegalOptions, trueOrFalse } from './check-options.ts';
import type { Context, ResourceMiddleware } from './context.ts';

/** Options of {@link ifMatch}. */
export interface IfMatchOptions {
  /** A write without `If-Match` is 428. @default false */
  readonly required?: boolean;
  /**
   * The current strong entity tag, without quotes, for routes without a store behind them: the comparison is then made here, and a mismatch
   * is 412. Undefined for a resource that has none. Only a check in the write's own filter is safe from races.
   */
  readonly current?: (ctx: Context) => string | undefined | Promise<string | undefined>;
}

const legal: LegalOptions<IfMatchOptions> = { required: trueOrFalse, current: aFunction };

/**
 * Reads `If-Match` into `ctx.precondition`, for the write's own filter (RFC 9110 §13.1.1), or for the record that `findRecord` reads. 400
 * when malformed, 428 when required and missing.
 *
 * @example
 * router.put('/settings', ifMatch({ current: () => settings.version }), jsonBody(), saveSettings);
 */
export function ifMatch(options: IfMatchOptions = {}): ResourceMiddleware {
  checkOptions(options, legal, '`ifMatch`');
  const { required = false, current } = options;
  return async function ifMatch(ctx, next) {
    // A repeated header arrives joined by commas, as a list may be sent (RFC 9110 §5.3).
    const header = ctx.req.headers['if-match'];
    if (header === undefined) {
      if (required) throw new Problem('precondition_required', 'Send If-Match with the ETag of the record that you read.');
    } else {
      ctx.precondition = parseEntityTags(header);
      if (current) check(ctx.precondition, await current(ctx));
    }
    await next();
  };
}

function check(precondition: EntityTags, current: string | undefined): void {
  if (!matchesStrong(precondition, current)) throw new Problem('precondition_failed', 'The record has changed since; read it again.');
}
