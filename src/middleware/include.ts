import { QueryErrors } from '../http/query-errors.ts';
import { itemsOf, parseQueryString, type QueryParameter } from '../http/query-string.ts';
import { isNarrowing, narrowingKeys, parseInclude, parseNarrowed } from '../mongo/list/parse-include.ts';
import type { ResourceMiddleware } from './exchange/context.ts';
import { perSight } from './exchange/in-view.ts';
import { onlyFor, step } from './exchange/step.ts';
import { checkIncludes, type Includes } from './relations/compile-includes.ts';

/**
 * Parses the `include` parameter of a request for one record into `ctx.include`, for `findIncluded`. Several parameters
 * add up. What `tasks[limit]` and `tasks[sort]` ask of an included relation by `t.hasMany` is left in `ctx.narrowed`.
 * Other parameters are ignored. A relation that is unknown or not allowed is 400. Place it above `notModified`. For a
 * list, `listQuery` does the same.
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
  const make = ({ names, narrowable }: Includes) => {
    const only = ['include', ...narrowingKeys(narrowable)];
    return step(
      { problems: ['invalid_query'] },
      onlyFor('query', function include(ctx) {
        const errors = new QueryErrors();
        const parameters = parseQueryString(ctx.querystring, { only });
        const given = parameters.filter(isInclude).flatMap(itemsOf);
        const named = parseInclude(given, names, errors);
        const narrowing = narrowable.size > 0 ? parameters.filter((one) => isNarrowing(one, narrowable)) : [];
        const narrowed = narrowing.length > 0 ? parseNarrowed(narrowing, given, narrowable, errors) : undefined;
        errors.throwIfAny();
        if (named.length > 0) ctx.include = named;
        if (narrowed) ctx.narrowed = narrowed;
      }),
    );
  };
  return perSight(make(includes), includes.rules, (held) => make(includes.seenBy(held)));
}

function isInclude({ name }: QueryParameter): boolean {
  return name === 'include';
}
