import { Problem } from '../errors.ts';
import { parseQueryString } from '../http/query-string.ts';
import type { ModelInput } from '../model/compile/compile-model.ts';
import { withoutScans } from '../model/operators/operators.ts';
import { aMaxAffected } from '../mongo/collection/write-many.ts';
import type { ConditionLimits } from '../mongo/list/parse-conditions.ts';
import { parseFilterQuery } from '../mongo/list/parse-filter-query.ts';
import { checkOptions } from '../options.ts';
import type { Context, ResourceMiddleware } from './exchange/context.ts';
import { perView } from './exchange/in-view.ts';
import { step } from './exchange/step.ts';
import { conditionLimits, mayExceedInt64 } from './list-query.ts';

/** Options of {@link filterQuery}. */
export interface FilterQueryOptions extends Partial<ConditionLimits> {
  /** The most records that a request may write to, up to 100,000, and the default of `max_affected`. @default 1,000 */
  readonly maxAffected?: number;
  /** Largest number of values of one `in` or `nin`. @default 500 */
  readonly maxFilterValues?: number;
  /** Largest number of characters of a `prefix`, up to 8,000. @default 1,000 */
  readonly maxPrefix?: number;
}

const legal = { maxAffected: aMaxAffected, ...conditionLimits };

/**
 * Parses the query string of a write to many records into `ctx.filterQuery`: the filters that a list of the model has,
 * and `max_affected`. 400 names everything that is not acceptable. A filter is required, so that no request writes to
 * every record by mistake. There is no `contains`, for which a list bounds what is looked at.
 *
 * `If-Match` and `If-None-Match` are 400, because they name a revision of one record.
 *
 * @example
 * router.delete('/orders', filterQuery(Order, { maxAffected: 50 }), removeMany(Order, { db }), affected());
 */
export function filterQuery(model: ModelInput, options: FilterQueryOptions = {}): ResourceMiddleware {
  const limits = checkOptions(options, legal, '`filterQuery`');
  return perView(model, [], ({ clientFields }) => {
    const fields = new Map([...clientFields].map(([name, field]) => [name, { ...field, operators: withoutScans(field.operators) }]));
    const rules = { fields, ...limits };
    const ofIntegers = mayExceedInt64(fields) ? (['validation_failed'] as const) : [];
    return step(
      { problems: ['invalid_query', 'precondition_not_supported', ...ofIntegers], leaves: ['filterQuery'] },
      function filterQuery(ctx) {
        refusePreconditions(ctx);
        ctx.filterQuery = parseFilterQuery(parseQueryString(ctx.querystring), rules);
      },
    );
  });
}

function refusePreconditions({ req: { headers } }: Context): void {
  const found = headers['if-match'] === undefined ? headers['if-none-match'] && 'If-None-Match' : 'If-Match';
  if (found === undefined) return;
  const detail = `${found} names a revision of one record, and this request addresses many of them: leave the header out.`;
  throw new Problem({ code: 'precondition_not_supported', detail });
}
