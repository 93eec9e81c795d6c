import { parseQueryString } from '../../http/query-string.ts';
import type { Context, ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { exchangeOf, setJson, workOf } from '../../middleware/exchange/exchange.ts';
import { addedTo, compileFurther, namesOf, optionsOfLists, problemsOfAdded } from '../../middleware/exchange/further-parameters.ts';
import { perView } from '../../middleware/exchange/in-view.ts';
import { ofRead } from '../../middleware/exchange/problem-codes.ts';
import { step } from '../../middleware/exchange/step.ts';
import { askThrough } from '../../middleware/find-page.ts';
import { conditionLimits, mayExceedInt64, scanLimit } from '../../middleware/list-query.ts';
import { linkPages } from '../../middleware/page.ts';
import { aThrough, type Through } from '../../middleware/relations/compile-through.ts';
import type { ModelInput } from '../../model/compile/compile-model.ts';
import type { QueryField } from '../../model/compile/query-fields.ts';
import { type DatabaseOptions, databaseOptions, openCollection } from '../../mongo/collection/collection.ts';
import type { Summary } from '../../mongo/collection/summary.ts';
import type { FirstBatch } from '../../mongo/driver/read-batches.ts';
import { seeing } from '../../mongo/lifecycle/within.ts';
import { aPageBound } from '../../mongo/list/page-bytes.ts';
import type { ConditionLimits } from '../../mongo/list/parse-conditions.ts';
import { viewsOf } from '../../mongo/list/parse-list-query.ts';
import { aString, aWholeNumber, byDefault, checkOptions } from '../../options.ts';
import type { LimitsOfLists, OptionsOfLists } from '../list-types.ts';
import { figuresOf, isGroupable } from './policy.ts';

/** Options of {@link aggregate}. */
export interface AggregateOptions extends DatabaseOptions, Partial<ConditionLimits>, OptionsOfLists<Context>, LimitsOfLists {
  /**
   * The name to which cursors of groups are bound. Two lists over one model need different names.
   *
   * @default the model's collection
   */
  readonly name?: string;
  /** The most records that may match, up to 10,000,000. More are 422. @default 100,000 */
  readonly maxMatches?: number;
  /**
   * The most groups of an answer, or of a page, up to 100,000. Without `limit`, more are 422.
   *
   * @default 1,000
   */
  readonly maxGroups?: number;
  /** The most bytes of the groups in the answer, from 1,024 to 268,435,456. More are 422. @default 16 MiB */
  readonly maxPageBytes?: number;
  /** The relations through which the list can be filtered, as `compileThrough` returns them. @default none */
  readonly through?: Through;
  /** Largest number of values of one `in` or `nin`. @default 500 */
  readonly maxFilterValues?: number;
  /** Largest number of characters of a `prefix`, up to 8,000. @default 1,000 */
  readonly maxPrefix?: number;
  /** Largest number of records that are looked at for `contains`, up to 10,000,000. More are 422. @default 100,000 */
  readonly maxContainsMatches?: number;
}

/** What a resource sets. */
export const aggregateLimits = {
  maxMatches: byDefault(100_000, aWholeNumber(1, 10_000_000, ' of records')),
  maxGroups: byDefault(1_000, aWholeNumber(1, 100_000, ' of groups')),
};

const legal = {
  ...databaseOptions,
  name: aString,
  ...aggregateLimits,
  maxPageBytes: aPageBound,
  through: aThrough,
  ...conditionLimits,
  ...scanLimit,
  ...optionsOfLists,
};

/**
 * Answers with numbers about the records that match the filters of the query string within `ctx.scope`: how many there
 * are in each group, and sums, averages, least and greatest values. Fields have them by `policy.aggregate` and
 * `policy.group`. See `docs/reference/aggregate.md`.
 *
 * 400 names everything that is not acceptable. More records than `maxMatches`, more groups than `maxGroups`, or more
 * bytes than `maxPageBytes` are 422, and so is a sum or an average beyond the range of its type.
 *
 * @example
 * router.get('/orders/aggregate', aggregate(Order, { db })); // ?group=status&sum=total
 */
export function aggregate(model: ModelInput, options: AggregateOptions): ResourceMiddleware {
  const checked = checkOptions(options, legal, '`aggregate`');
  const {
    db,
    maxTimeMS,
    name,
    maxMatches,
    maxGroups,
    maxPageBytes,
    through: asked,
    maxFilterValues,
    maxPrefix,
    maxContainsMatches,
  } = checked;
  return perView(model, [asked] as const, (seen, through) => {
    const collection = openCollection(seen, { db, ...(maxTimeMS && { maxTimeMS }) });
    const own = seen.clientFields;
    const fields = through ? new Map<string, QueryField>([...own, ...through.fields]) : own;
    const added = addedTo(seen, checked);
    const limitsOfFilters = { maxFilterValues, maxPrefix, maxContainsMatches };
    const resource = [name ?? seen.collection, ...viewsOf([seen])].join(' ');
    const rules = { own, fields, resource, maxGroups, further: namesOf(added, true), ...(through && { through }), ...limitsOfFilters };
    const loadFurther = compileFurther(added, {});
    const ofRange = mayExceedInt64(fields) || [...own.values()].some(mayExceedType) ? (['validation_failed'] as const) : [];
    const ofCursor = [...own.values()].some(isGroupable) ? (['invalid_cursor'] as const) : [];
    const ofAll = [...ofRead, 'invalid_query', ...ofCursor, 'too_many_matches', ...ofRange] as const;
    const problems = (method: string) => [...ofAll, ...problemsOfAdded(added, method)];
    return step({ problems }, async function aggregate(ctx) {
      if (ctx.queryParameters) throw new Error('`aggregate` reads the query string: leave out `queryBody`.');
      const { parseAggregateQuery, planGroups, writeGroups, explain } = await import('./mongo/aggregate.ts');
      const parameters = parseQueryString(ctx.querystring);
      const further = await loadFurther?.(parameters);
      const parsed = parseAggregateQuery(parameters, rules, { deleted: ctx.deleted, readFurther: further?.read });
      const query = further?.ask && parsed.further ? { ...parsed, further: await further.ask(parsed.further, [], ctx) } : parsed;
      const related = await askThrough(ctx, query, asked);
      const limits = { maxMatches, maxGroups };
      const listed = { query, within: seeing(seen, ctx.deleted ?? 'live', ctx.scope), ...related };
      const summary: Summary<FirstBatch> = {
        stages: planGroups(query, limits),
        limit: (query.window?.size ?? maxGroups) + 1,
        allowDiskUse: false,
        take: (groups) => groups,
      };
      const found = await collection.summarize(listed, summary, workOf(ctx)).catch((error: unknown) => {
        throw explain(error);
      });
      const maxBytes = Math.min(maxPageBytes, ctx.pageBytes ?? maxPageBytes);
      const { json, page } = await writeGroups(found, query, { ...limits, maxBytes });
      exchangeOf(ctx).throwIfGivenUp();
      if (page) linkPages(ctx, { mode: 'cursor', next: page.next_cursor, prev: null });
      ctx.status = 200; // the app may have set another one
      setJson(ctx, Buffer.concat([head, json, page ? Buffer.from(`,"page":${JSON.stringify(page)}}`) : tail]));
    });
  });
}

/** Whether a sum or an average may be beyond the range of its type. Those of integers are not. */
function mayExceedType(field: QueryField): boolean {
  const figures = figuresOf(field);
  const type = field.leaf?.name;
  return (figures.has('sum') || figures.has('avg')) && (type === 'float' || type === 'decimal');
}

const [head, tail] = [Buffer.from('{"data":'), Buffer.from('}')];
