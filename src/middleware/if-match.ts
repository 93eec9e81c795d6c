import { Problem } from '../errors.ts';
import { matchesStrong, matchesWeak, parseEntityTags } from '../http/entity-tag.ts';
import type { Precondition } from '../mongo/query/precondition.ts';
import { aFunction, checkOptions, type LegalOptions, trueOrFalse } from '../options.ts';
import { canAnswer } from './parts/can-answer.ts';
import type { Context, ResourceMiddleware } from './parts/context.ts';

/** Options of {@link ifMatch}. */
export interface IfMatchOptions {
  /** A write without `If-Match` is 428, whatever its `If-None-Match` says. @default false */
  readonly required?: boolean;
  /**
   * The current strong entity tag, without quotes, for routes without a store behind them: the comparison is then made here, and a mismatch
   * is 412. Undefined for a resource that has none. Only a check in the write's own filter is safe from races.
   */
  readonly current?: (ctx: Context) => string | undefined | Promise<string | undefined>;
}

const legal: LegalOptions<IfMatchOptions> = { required: trueOrFalse, current: aFunction };

/**
 * Reads `If-Match`, and `If-None-Match` of a write, into `ctx.precondition`: for the write's own filter (RFC 9110 §13.2.2), or for the record
 * that `findRecord` reads. 400 when malformed, 428 when required and missing. `If-None-Match` of a GET or HEAD is for `notModified`.
 *
 * @example
 * router.put('/settings', ifMatch({ current: () => settings.version }), jsonBody(), saveSettings);
 */
export function ifMatch(options: IfMatchOptions = {}): ResourceMiddleware {
  checkOptions(options, legal, '`ifMatch`');
  const { required = false, current } = options;
  const ofRequired = required ? (['precondition_required'] as const) : [];
  const ofCurrent = current ? (['precondition_failed', 'internal'] as const) : [];
  return canAnswer(['malformed_header', ...ofRequired, ...ofCurrent], async function ifMatch(ctx, next) {
    const precondition = readPrecondition(ctx);
    if (required && !precondition?.ifMatch)
      throw new Problem({ code: 'precondition_required', detail: 'Send If-Match with the ETag of the record that you read.' });
    if (precondition) {
      ctx.precondition = precondition;
      if (current) check(precondition, await current(ctx));
    }
    await next();
  });
}

/** A repeated header arrives joined by commas, as a list may be sent (RFC 9110 §5.3). */
function readPrecondition({ method, req }: Context): Precondition | undefined {
  const isRead = method === 'GET' || method === 'HEAD';
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = req.headers;
  if (ifMatch === undefined && (isRead || ifNoneMatch === undefined)) return undefined;
  return {
    ...(ifMatch !== undefined && { ifMatch: parseEntityTags(ifMatch) }),
    ...(!isRead && ifNoneMatch !== undefined && { ifNoneMatch: parseEntityTags(ifNoneMatch, 'If-None-Match') }),
  };
}

function check({ ifMatch, ifNoneMatch }: Precondition, current: string | undefined): void {
  if (ifMatch && !matchesStrong(ifMatch, current))
    throw new Problem({ code: 'precondition_failed', detail: 'The record has changed since; read it again.' });
  if (ifNoneMatch && matchesWeak(ifNoneMatch, current))
    throw new Problem({ code: 'precondition_failed', detail: 'The record is one that If-None-Match names.' });
}
