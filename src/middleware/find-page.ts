import type { ModelInput } from '../model/compile/compile-model.ts';
import { operatorDef } from '../model/operators/operators.ts';
import { writeUntyped } from '../model/value/untyped.ts';
import { openCollection } from '../mongo/collection/collection.ts';
import { isDevelopment } from '../mongo/indexes/watch-scans.ts';
import { seeing } from '../mongo/lifecycle/within.ts';
import { aPageBound } from '../mongo/list/page-bytes.ts';
import { writePage } from '../mongo/list/write-page.ts';
import { pathsIn } from '../mongo/through/expression.ts';
import type { Matching } from '../mongo/through/plan-through.ts';
import { type Sight, type ThroughField, type ThroughStep, throughFields } from '../mongo/through/through-field.ts';
import { checkOptions, trueOrFalse } from '../options.ts';
import type { Context, ResourceMiddleware } from './exchange/context.ts';
import { workOf } from './exchange/exchange.ts';
import { perView } from './exchange/in-view.ts';
import { missing } from './exchange/order.ts';
import { ofRead } from './exchange/problem-codes.ts';
import { reportError } from './exchange/report-error.ts';
import { step } from './exchange/step.ts';
import { type FindOptions, findOptions } from './find-record.ts';
import { reachOf } from './reach/reach.ts';
import { aThrough, isCountable, isSortable, type Through } from './relations/compile-through.ts';
import type { GuardedSource } from './relations/relation-targets.ts';

/** Options of {@link findPage}. */
export interface FindPageOptions extends FindOptions {
  /**
   * Warns of lists that scan the collection, once for each kind of list, and names the index that would help
   * (`process.emitWarning`).
   * @default whether `NODE_ENV` is `development` or not set
   */
  readonly warnOnScan?: boolean;
  /**
   * Largest page in bytes, from 1,024 to 268,435,456. It limits what is read from the database as well as the JSON of
   * the records. A single record always fits.
   * @default 16 MiB (16,777,216)
   */
  readonly maxPageBytes?: number;
  /**
   * The relations through which the list can be filtered and sorted, as `compileThrough` returns them: the same as for
   * `listQuery`.
   *
   * @default none
   */
  readonly through?: Through;
}

const legal = {
  ...findOptions,
  warnOnScan: trueOrFalse,
  maxPageBytes: aPageBound,
  through: aThrough,
};

/**
 * Finds the page that `ctx.listQuery` asks for within `ctx.scope`, and leaves it in `ctx.page`. `ctx.deleted` says
 * whether it has deleted records. The read is aborted when the client has gone.
 *
 * A page by cursor that would exceed `maxPageBytes` ends early, at the end farther from its start. A page by number
 * that would exceed it is 400.
 *
 * Filters and sorts by fields of related records see only the records that the guards and scopes of their targets show
 * to the client. A sort by them of more matches than `maxSortThrough`, or a count of more of them, is
 * `too_many_matches` (422), and so is a sort of
 * more matches of `q` than `maxSearchMatches`, and a `contains` for which more than `maxContainsMatches` are looked at.
 *
 * @example
 * router.get('/orders', listQuery(Order, cursorPaging()), findPage(Order, { db }), page());
 */
export function findPage(model: ModelInput, options: FindPageOptions): ResourceMiddleware {
  const checked = checkOptions(options, legal, '`findPage`');
  const { fetchPrivate = false, warnOnScan = isDevelopment(), maxPageBytes, through, ...database } = checked;
  return perView(model, [], (compiled) => {
    const collection = openCollection(compiled, { ...database, warnOnScan });
    const mayScan = [...compiled.clientFields.values()].some(({ operators }) => [...operators].some((one) => operatorDef(one).scans));
    const ofBounds = mayScan || (through && (isSortable(through) || isCountable(through))) ? (['too_many_matches'] as const) : [];
    return step(
      { problems: [...ofRead, 'invalid_query', ...ofBounds], needs: ['listQuery'], leaves: ['page'] },
      async function findPage(ctx) {
        const query = ctx.listQuery ?? missing('listQuery', 'findPage');
        const seen = await askThrough(ctx, query, through);
        const bounds = boundsOf(ctx, maxPageBytes);
        const work = workOf(ctx);
        const onUnaddressable = (id: unknown) => reportError(ctx, unaddressable(compiled.name, id));
        const found = await collection.findPage(
          query,
          seeing(compiled, ctx.deleted ?? 'live', ctx.scope),
          { fetchPrivate, ...bounds, ...seen, onUnaddressable },
          work,
        );
        ctx.page = query.include.length > 0 ? found : await writePage(found, work); // before the hooks, so that they receive the records that are shown
      },
    );
  });
}

function unaddressable(model: string, id: unknown): Error {
  return new Error(
    `The record of ${model} with the id ${writeUntyped(id)} is left out of a list: no path addresses its id, which is of another type than those of the model, or a number that none of them can be. An audit counts such records.`,
  );
}

/** The caller of `fetch` may want less than the api allows. Then nothing is to be read that it does not get. */
function boundsOf({ pageBytes }: Context, maxPageBytes: number): { readonly maxPageBytes: number; readonly measuresFirst?: true } {
  if (pageBytes === undefined || pageBytes >= maxPageBytes) return { maxPageBytes };
  return { maxPageBytes: pageBytes, measuresFirst: true };
}

/** The option of `findPage` for the related records that a query names. */
export interface SeenThrough {
  readonly through?: { readonly sight: Sight; readonly maxIds: number; readonly maxSorted: number };
}

/**
 * Asks the guards and scopes of the related records that a query names: only those, and none behind one that shows
 * nothing. Throws a plain Error (500) for a query of a `listQuery` with another `through`.
 */
export function askThrough(ctx: Context, query: Matching, through: Through | undefined): SeenThrough | Promise<SeenThrough> {
  const named = throughFields(query);
  const paths = query.filter ? pathsIn(query.filter) : [];
  if (named.length === 0 && paths.length === 0) return {};
  if (!through || ![...named, ...paths.flat()].every((one) => through.knows(one)))
    throw new Error('`findPage` must be given the same `through` as `listQuery`.');
  return askNamed(ctx, named, paths, through);
}

async function askNamed(
  ctx: Context,
  named: readonly ThroughField[],
  paths: readonly (readonly ThroughStep[])[],
  through: Through,
): Promise<SeenThrough> {
  const reach = reachOf(ctx);
  for (const steps of [...named.map((field) => field.steps), ...paths]) {
    for (const { source } of steps) if (!(await reach.related(source as GuardedSource))) break; // those of `listQuery`
  }
  return { through: { sight: reach.seen, maxIds: through.maxIds, maxSorted: through.maxSorted } };
}
