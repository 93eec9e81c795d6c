import { parseQueryString } from '../http/query-string.ts';
import { type CompiledQuery, compileTypedQuery } from '../model/compile/compile-typed-query.ts';
import type { Fields } from '../model/define/schema.ts';
import { aWholeNumber, byDefault, checkOptions } from '../options.ts';
import type { ResourceMiddleware } from './exchange/context.ts';
import { step } from './exchange/step.ts';

/** Options of {@link typedQuery}. */
export interface TypedQueryOptions {
  /** Largest number of items of an array that has no `maxItems`. @default 500 */
  readonly maxItems?: number;
}

const legal = { maxItems: byDefault(500, aWholeNumber(1)) };

/**
 * Parses the query string into `ctx.typedQuery`: a value for each field, in document form. Fields are single values and
 * arrays of them. A field is required unless it is `t.optional` or has a default. A value is cast as in the filters of
 * a list, and must fulfil the constraints of its field.
 *
 * Items of an array are separated by commas, or sent by repeated parameters. In `tags[]=a,b`, the comma is a part of
 * the item.
 *
 * 400 names everything that is not acceptable: also unknown parameters, with suggestions, and repeated ones.
 *
 * @example
 * const query = { q: t.string({ minLength: 1 }), limit: t.int({ minimum: 1, maximum: 50, default: 20 }) };
 * router.get('/search', typedQuery(query), (ctx) => {
 *   ctx.body = ctx.typedQuery;
 * });
 */
export function typedQuery(fields: Fields | CompiledQuery, options: TypedQueryOptions = {}): ResourceMiddleware {
  const { maxItems } = checkOptions(options, legal, '`typedQuery`');
  const query = compileTypedQuery(fields, '`fields` of `typedQuery`');
  return step({ problems: ['invalid_query'], leaves: ['typedQuery'] }, function typedQuery(ctx) {
    ctx.typedQuery = query.read(parseQueryString(ctx.querystring), maxItems);
  });
}
