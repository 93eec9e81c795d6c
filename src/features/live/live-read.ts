import { hash as digestOf } from 'node:crypto';
import type { Context, ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { problemsOf } from '../../middleware/exchange/descriptor.ts';
import { perView } from '../../middleware/exchange/in-view.ts';
import { passesOf } from '../../middleware/exchange/order.ts';
import { readAddress } from '../../middleware/exchange/read-address.ts';
import { composeChain, step } from '../../middleware/exchange/step.ts';
import { reachOf } from '../../middleware/reach/reach.ts';
import { requestPath } from '../../middleware/record.ts';
import type { Includes } from '../../middleware/relations/compile-includes.ts';
import { aThrough, type Through } from '../../middleware/relations/compile-through.ts';
import type { GuardedSource } from '../../middleware/relations/relation-targets.ts';
import type { ModelInput } from '../../model/compile/compile-model.ts';
import { isIncludable, noRelations } from '../../model/relations/includable.ts';
import { idToJson } from '../../model/value/number-in-path.ts';
import { filterOf } from '../../mongo/predicate/filter-of.ts';
import { textOf } from '../../mongo/query/text-of.ts';
import { pathsIn } from '../../mongo/through/expression.ts';
import { throughFields } from '../../mongo/through/through-field.ts';
import { anArrayOf, checkOptions, checkValue, type LegalOptions, orUndefined, trueOrFalse } from '../../options.ts';
import { leaveSource } from './live-source.ts';
import type { WatchedRecords } from './types.ts';
import { compileWatches, someWatches } from './watches.ts';

/** Options of {@link liveRead}. */
export interface LiveReadOptions {
  /** The relations that `include` may name: the same as for `listQuery` or `include`. @default none */
  readonly includes?: Includes;
  /** The relations through which the list can be filtered and sorted: the same as for `listQuery`. @default none */
  readonly through?: Through;
  /**
   * Models whose records guards and scopes read, or which of these records can concern a caller: after a change of one
   * of them, the caller's rights are asked again, as soon as the change stream tells of it, and at most once a second
   * for each stream.
   *
   * @default none: they are asked again within `recheckEvery`
   */
  readonly watches?: readonly (ModelInput | WatchedRecords<Context, ModelInput>)[];
  /**
   * Whether callers with the same path, query string, view, scope and scopes of related records may share what is read.
   * Everything in `chain` must depend on nothing else: hooks that change records for one caller must not be in it.
   *
   * @default false
   */
  readonly isShared?: boolean;
}

const legal: LegalOptions<LiveReadOptions> = {
  includes: orUndefined([isIncludable, 'what `compileIncludes()` returns']),
  through: aThrough,
  watches: someWatches,
  isShared: trueOrFalse,
};

/**
 * Ends the chain of `live`: says how its state is read, by middlewares that leave `ctx.page` or `ctx.record`, and what
 * it depends on. A list is read again after a change of a record of the model, or of a related one that the request
 * names; an update counts only if it touches a field that decides about the list or is shown.
 *
 * @example
 * const query = listQuery(Order, cursorPaging(), { isLive: true });
 * router.get('/orders/live', live([scope(Order, ownRows), query, liveRead(Order, [findPage(Order, { db })])], { db }));
 */
export function liveRead(model: ModelInput, chain: readonly ResourceMiddleware[], options: LiveReadOptions = {}): ResourceMiddleware {
  checkValue(
    'The chain of `liveRead`',
    chain,
    anArrayOf('middlewares', (one) => typeof one === 'function'),
  );
  checkOptions(options, legal, '`liveRead`');
  const { includes, through, watches = [], isShared = false } = options;
  const run = composeChain(chain);
  const watchesOfCaller = compileWatches(watches, '`liveRead`');
  const { needs } = passesOf(chain);
  const problems = (method: string) => chain.flatMap((one) => problemsOf(one, method));
  return perView(model, [includes ?? noRelations, through] as const, (seen, included, behind) =>
    step({ problems, needs }, async function liveRead(ctx) {
      const [{ concernOf }, { watchedOf }] = await Promise.all([import('./work/concern.ts'), import('./work/watch.ts')]);
      const sources = await askSources(ctx, (included as Includes).paths, behind);
      const { listQuery: query, scope, deleted, pageBytes } = ctx;
      const scopes = sources.map(({ model, path }, index) => [path ?? model.collection, model.held ?? [], known(ctx, sources[index])]);
      const asked = textOf([requestPath(ctx), ctx.querystring, seen.held ?? [], scope, deleted, pageBytes, scopes]);
      leaveSource(ctx, {
        model: seen,
        key: asked && digestOf('sha256', asked, 'base64'),
        bytes: asked?.length ?? 0,
        isShared,
        related: new Set(sources.map((one) => one.model.collection)),
        watched: await watchedOf(ctx, watchesOfCaller),
        read: (below) => run(below, async () => undefined),
        ...(query ? { concern: concernOf(seen, query, scope) } : { idText: idToJson(seen.id.leaf, readAddress(ctx, seen).id) }),
      });
    }),
  );
}

function known(ctx: Context, source: GuardedSource | undefined): unknown {
  const scope = source && reachOf(ctx).seen.get(source);
  return scope && filterOf(scope);
}

/** Asks the guards and scopes of the related records that a request names. None behind one that shows nothing. */
async function askSources(ctx: Context, paths: Includes['paths'] | undefined, through: Through | undefined): Promise<GuardedSource[]> {
  const { listQuery: query, include = [] } = ctx;
  const ofQuery =
    query && through ? [...throughFields(query).map(({ steps }) => steps), ...(query.filter ? pathsIn(query.filter) : [])] : [];
  const ofIncludes = (query?.include ?? include).map((name) => paths?.get(name) ?? []);
  const asked = new Set<GuardedSource>();
  const reach = reachOf(ctx);
  for (const steps of [...ofQuery, ...ofIncludes]) {
    for (const { source } of steps) {
      asked.add(source as GuardedSource);
      if (!(await reach.related(source as GuardedSource))) break;
    }
  }
  return [...asked];
}
