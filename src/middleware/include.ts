import { parseInclude } from '../http/parse-include.ts';
import { QueryErrors } from '../http/query-errors.ts';
import { itemsOf, parseQueryString } from '../http/query-string.ts';
import type { ResourceMiddleware } from './exchange/context.ts';
import { perSight } from './exchange/in-view.ts';
import { onlyFor, step } from './exchange/step.ts';
import { checkIncludes, type Includes } from './relations/compile-includes.ts';

const only = ['include'];

/**
 * Parses the `include` parameter of a request for one record into `ctx.include`, for `findIncluded`. Several parameters
 * add up; other parameters are ignored. A relation that is unknown or not allowed is 400. Place it above `notModified`.
 * For a list, `listQuery` does the same.
 *
 * @example
 * const includes = compileIncludes(Order, ['customer'], { db, targets: [{ model: Customer }] });
 * router.get(
 *   '/orders/:id',
 *   include(includes),
 *   notModified(),
 *   findRecord(Order, { db }),
 *   findIncluded(includes),
 *   record(),
 * );
 */
export function include(includes: Includes): ResourceMiddleware {
  checkIncludes(includes, 'include');
  const make = ({ names }: Includes) =>
    step(
      { problems: ['invalid_query'] },
      onlyFor('query', function include(ctx) {
        const named = readInclude(ctx.querystring, names);
        if (named.length > 0) ctx.include = named;
      }),
    );
  return perSight(make(includes), includes.rules, (held) => make(includes.seenBy(held)));
}

function readInclude(raw: string, allowed: readonly string[]): readonly string[] {
  const errors = new QueryErrors();
  const named = parseInclude(parseQueryString(raw, { only }).flatMap(itemsOf), allowed, errors);
  errors.throwIfAny();
  return named;
}
