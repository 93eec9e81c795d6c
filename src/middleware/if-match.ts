import { Problem } from '../errors.ts';
import { type EntityTag, parseEntityTags } from '../http/entity-tag.ts';
import { checkTags, type Precondition } from '../mongo/query/precondition.ts';
import { aFunction, checkOptions, type LegalOptions, trueOrFalse } from '../options.ts';
import type { Context, ResourceMiddleware } from './exchange/context.ts';
import { onlyFor, step, whenKnown } from './exchange/step.ts';

/** Options of {@link ifMatch}. */
export interface IfMatchOptions {
  /** A write without `If-Match` is 428, even with `If-None-Match`. @default false */
  readonly required?: boolean;
  /**
   * Returns the current strong entity tag, without quotes, or undefined if the resource has none. It is for routes
   * without a store: the comparison is made here, and a mismatch is 412. Only a condition in the write's own filter is
   * safe from races.
   */
  readonly current?: (ctx: Context) => string | undefined | Promise<string | undefined>;
}

const legal: LegalOptions<IfMatchOptions> = { required: trueOrFalse, current: aFunction };

/**
 * Reads `If-Match`, and `If-None-Match` of a write, into `ctx.precondition`: for the filter of the write (RFC 9110
 * §13.2.2), or for the record that `findRecord` reads. A malformed header is 400; a required header that is missing is
 * 428. `If-None-Match` of a GET or HEAD is for `notModified`.
 *
 * @example
 * router.put('/settings', ifMatch({ current: () => settings.version }), jsonBody(), saveSettings);
 */
export function ifMatch(options: IfMatchOptions = {}): ResourceMiddleware {
  checkOptions(options, legal, '`ifMatch`');
  const { required = false, current } = options;
  const ofRequired = required ? (['precondition_required'] as const) : [];
  const ofCurrent = current ? (['precondition_failed', 'internal'] as const) : [];
  function ifMatch(ctx: Context): void | Promise<void> {
    const precondition = readPrecondition(ctx);
    if (required && !precondition?.ifMatch)
      throw new Problem({ code: 'precondition_required', detail: 'Send If-Match with the ETag of the record that you read.' });
    if (!precondition) return undefined;
    ctx.precondition = precondition;
    return current && whenKnown(current(ctx), (known) => checkTags(precondition, known, hasNoCoding));
  }
  return step(
    { problems: ['malformed_header', ...ofRequired, ...ofCurrent] },
    required ? ifMatch : onlyFor(['if-match', 'if-none-match'], ifMatch),
  );
}

/** Node joins repeated headers by commas, which is how a list is sent (RFC 9110 §5.3). */
function readPrecondition({ method, req }: Context): Precondition | undefined {
  const isRead = method === 'GET' || method === 'HEAD';
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = req.headers;
  if (ifMatch === undefined && (isRead || ifNoneMatch === undefined)) return undefined;
  return {
    ...(ifMatch !== undefined && { ifMatch: parseEntityTags(ifMatch) }),
    ...(!isRead && ifNoneMatch !== undefined && { ifNoneMatch: parseEntityTags(ifNoneMatch, 'If-None-Match') }),
  };
}

// A tag of the application may have any text. Apache marks those of compressed answers by a suffix.
const hasNoCoding = ({ tag }: EntityTag): boolean => !/-(?:gzip|br|zstd)$/.test(tag);
