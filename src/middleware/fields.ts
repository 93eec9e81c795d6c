import { QueryErrors } from '../http/query-errors.ts';
import { itemsOf, parseQueryString } from '../http/query-string.ts';
import type { ModelInput } from '../model/compile/compile-model.ts';
import { parseFields } from '../model/read/select-fields.ts';
import { type Includable, noRelations, relationsOf } from '../model/relations/includable.ts';
import type { ResourceMiddleware } from './exchange/context.ts';
import { perView } from './exchange/in-view.ts';
import { onlyFor, step } from './exchange/step.ts';
import { checkIncludes, type Includes } from './relations/compile-includes.ts';

/**
 * Lets the client choose which fields of one record it reads: `fields=name,address.city` is left in `ctx.fields`. The
 * id is always sent, and so are the relations of `ctx.include`, if they are in `includes`. Of their records it chooses
 * by `fields=customer.name`, which is left in `ctx.includedFields`. The `ETag` is that of the whole record.
 *
 * 400 names the fields that cannot be chosen; a private field is reported as unknown. Other parameters are ignored. For
 * a list, `listQuery` reads the same parameter.
 *
 * @example
 * router.get('/orders/:id', fields(Order), findRecord(Order, { db }), record());
 */
export function fields(model: ModelInput, includes: Includable & Pick<Partial<Includes>, 'selectors'> = noRelations): ResourceMiddleware {
  checkIncludes(includes, 'fields');
  return perView(model, [includes] as const, ({ selector }, seen) => {
    return step(
      { problems: ['invalid_query'] },
      onlyFor('query', function fields(ctx) {
        const names = parseQueryString(ctx.querystring, { only: ['fields'] }).flatMap(itemsOf);
        const errors = new QueryErrors();
        const include = ctx.include ?? [];
        const others = { include, relations: relationsOf(include, seen), selectors: seen.selectors ?? new Map() };
        const { own, ofIncluded } = parseFields(names, selector, errors, others);
        errors.throwIfAny();
        if (own) ctx.fields = own;
        if (ofIncluded.size > 0) ctx.includedFields = ofIncluded;
      }),
    );
  });
}
