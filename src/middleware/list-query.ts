import type { LimitsOfLists, OptionsOfLists } from '../features/list-types.ts';
import { parseQueryString } from '../http/query-string.ts';
import type { ModelInput } from '../model/compile/compile-model.ts';
import type { QueryField } from '../model/compile/query-fields.ts';
import { operatorDef } from '../model/operators/operators.ts';
import { type Includable, isIncludable, noRelations } from '../model/relations/includable.ts';
import { keepsDeleted } from '../mongo/lifecycle/lifecycle.ts';
import { type FilterLimits, type ListRules, parseListQuery, viewsOf } from '../mongo/list/parse-list-query.ts';
import { checkPaging, type Paging } from '../mongo/list/parse-paging.ts';
import { aString, aWholeNumber, byDefault, checkOptions, type LegalOptions, trueOrFalse } from '../options.ts';
import { Invalid } from '../rules.ts';
import type { Context, ResourceMiddleware } from './exchange/context.ts';
import { addedTo, compileFurther, namesOf, optionsOfLists, problemsOfAdded } from './exchange/further-parameters.ts';
import { perView } from './exchange/in-view.ts';
import { parameterOf } from './exchange/read-address.ts';
import { step } from './exchange/step.ts';
import { aThrough, type Through } from './relations/compile-through.ts';

/** Options of {@link listQuery}. */
export interface ListQueryOptions extends Partial<FilterLimits>, OptionsOfLists<Context>, LimitsOfLists {
  /**
   * The name to which the list's cursors are bound. Two lists over one model need different names.
   *
   * @default the model's collection
   */
  readonly name?: string;
  /** Lets clients choose by `fields=` which fields they read. @default false */
  readonly fields?: boolean;
  /** The relations that `include` may name, as `compileIncludes` returns them. @default none */
  readonly includes?: Includable;
  /**
   * The relations through which the list can be filtered and sorted, as `compileThrough` returns them. `findPage` needs
   * them too.
   *
   * @default none
   */
  readonly through?: Through;
  /**
   * Whether the list is answered whole, by `exportRecords`: `limit`, `before`, `page`, `total` and `include` are then
   * 400, and `after` resumes an answer that was cut, whatever the paging is.
   * @default false
   */
  readonly whole?: boolean;
  /**
   * Whether the first page is kept true, by `live`: `after`, `before`, `page` and `total` are then 400.
   *
   * @default false
   */
  readonly isLive?: boolean;
  /** Largest number of values of one `in` or `nin`. @default 500 */
  readonly maxFilterValues?: number;
  /** Largest number of characters of a `prefix`, up to 8,000. @default 1,000 */
  readonly maxPrefix?: number;
  /** Largest number of keys of a sort, the id included, up to 32. @default 8 */
  readonly maxSortKeys?: number;
  /**
   * Largest number of records that fulfil all but a `contains`, and are looked at for it, up to 10,000,000. More are
   * 422.
   *
   * @default 100,000
   */
  readonly maxContainsMatches?: number;
}

/** The database accepts every prefix of so many ASCII characters. `refuseText` counts the bytes of others. */
const longestPrefix = 8000;

/** The database accepts no more sort keys. */
const mostSortKeys = 32;

/** A list that is answered whole has a position, and no page. */
const unpaged: Paging = { mode: 'cursor', size: 1, max: 1, total: false };

/** The limits of filters, with their defaults. */
export const conditionLimits = {
  maxFilterValues: byDefault(500, aWholeNumber(1)),
  maxPrefix: byDefault(1_000, aWholeNumber(1, longestPrefix)),
};

/** How many records may be looked at for `contains`. */
export const scanLimit = { maxContainsMatches: byDefault(100_000, aWholeNumber(1, 10_000_000)) };

/** The limits of filters and sorts, with their defaults. */
export const filterLimits = { ...conditionLimits, maxSortKeys: byDefault(8, aWholeNumber(1, mostSortKeys)), ...scanLimit };

const legal = {
  name: aString,
  fields: trueOrFalse,
  includes: [isIncludable, 'what `compileIncludes()` returns'],
  through: aThrough,
  whole: trueOrFalse,
  isLive: trueOrFalse,
  ...filterLimits,
  ...optionsOfLists,
} satisfies LegalOptions<ListQueryOptions>;

/**
 * Parses the query string of a list into `ctx.listQuery`. 400 names everything that is not acceptable, with suggestions
 * for misspelt names; a private field is reported as unknown.
 *
 * @example
 * router.get('/orders', listQuery(Order, cursorPaging({ max: 50 })), findPage(Order, { db }), page());
 */
export function listQuery(model: ModelInput, paging: Paging, options: ListQueryOptions = {}): ResourceMiddleware {
  const checked = checkOptions(options, legal, '`listQuery`');
  const { name, fields = false, includes: relations = noRelations, through: related, whole = false, isLive = false } = checked;
  const { maxFilterValues, maxPrefix, maxSortKeys, maxContainsMatches } = checked;
  checkPaging(paging);
  return perView(model, [relations, related] as const, (seen, includes, through) => {
    const { collection, clientFields: own, selector } = seen;
    const hasDeleted = keepsDeleted(seen);
    const added = addedTo(seen, checked);
    const clientFields = through ? new Map<string, QueryField>([...own, ...through.fields]) : own;
    const rules: ListRules = {
      resource: [name ?? collection, ...viewsOf([seen])].join(' '),
      fields: clientFields,
      paging: whole ? unpaged : paging,
      selector: fields ? selector : undefined,
      includes,
      ...(through && { through }),
      isWhole: whole,
      further: namesOf(added),
      isLive,
      maxFilterValues,
      maxPrefix,
      maxSortKeys,
      maxContainsMatches,
    };
    const ofCursor = rules.paging.mode === 'cursor' ? (['invalid_cursor'] as const) : [];
    const ofIntegers = mayExceedInt64(clientFields) ? (['validation_failed'] as const) : [];
    const problems = (method: string) => ['invalid_query' as const, ...ofCursor, ...ofIntegers, ...problemsOfAdded(added, method)];
    const loadFurther = compileFurther(added, rules);
    return step({ problems, leaves: ['listQuery'] }, function listQuery(ctx) {
      const isScoped = ctx.scope !== undefined && Object.keys(ctx.scope).length > 0;
      const isPartial = isScoped || hasDeleted; // the statistics of the collection also count deleted records
      const parent = ctx.parentId === undefined ? undefined : parameterOf(ctx, 'id');
      const { queryParameters, deleted } = ctx;
      const asked = { isPartial, isInBody: queryParameters !== undefined, deleted, parent };
      const parameters = queryParameters ?? parseQueryString(ctx.querystring);
      const loading = loadFurther?.(parameters);
      if (!loading) {
        ctx.listQuery = parseListQuery(parameters, rules, asked);
        return undefined;
      }
      return loading.then(async ({ read: readFurther, ask }) => {
        const query = parseListQuery(parameters, rules, { ...asked, readFurther });
        ctx.listQuery = query;
        if (ask && query.further) ctx.listQuery = { ...query, further: await ask(query.further, query.sort, ctx) };
      });
    });
  });
}

/** Whether a filter of the list takes integers: one beyond 64 bits is 422 and not 400. */
export function mayExceedInt64(fields: ListRules['fields']): boolean {
  return [...fields.values()].some(({ leaf, operators }) => {
    if (!leaf || ![...operators].some((operator) => operatorDef(operator).takes !== 'flag')) return false;
    const beyond = leaf.fromText(String(2n ** 64n));
    return beyond instanceof Invalid && beyond.rule === 'out_of_range';
  });
}
