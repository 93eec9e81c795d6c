import { chooseMediaType } from '../../http/accept.ts';
import { jsonType } from '../../http/media-type.ts';
import type { Called, Context, ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { workOf } from '../../middleware/exchange/exchange.ts';
import { perView } from '../../middleware/exchange/in-view.ts';
import { missing } from '../../middleware/exchange/order.ts';
import { ofRead } from '../../middleware/exchange/problem-codes.ts';
import { runAlone, step } from '../../middleware/exchange/step.ts';
import { maxStreams, type StreamPlaces, somePlaces, streamPlaces } from '../../middleware/exchange/stream-places.ts';
import { askThrough } from '../../middleware/find-page.ts';
import { noteProblem } from '../../middleware/problems.ts';
import { renewReach } from '../../middleware/reach/reach.ts';
import { aThrough, type Through } from '../../middleware/relations/compile-through.ts';
import { aScope, scope } from '../../middleware/scope.ts';
import type { CompiledModel, ModelInput } from '../../model/compile/compile-model.ts';
import { type DatabaseOptions, databaseOptions, openCollection } from '../../mongo/collection/collection.ts';
import { countOf } from '../../mongo/collection/summary.ts';
import { timeLimit } from '../../mongo/driver/time-limit.ts';
import { isDevelopment } from '../../mongo/indexes/watch-scans.ts';
import { seeing } from '../../mongo/lifecycle/within.ts';
import { aWholeNumber, byDefault, checkOptions, defaultOf, fillIn, type Legal, orUndefined, trueOrFalse } from '../../options.ts';
import { type ExportType, exportTypes } from './types.ts';
import type { ExportSource } from './work/walk.ts';

/** Options of {@link exportRecords}. */
export interface ExportRecordsOptions extends DatabaseOptions {
  /** The most records of an export. More matches are 422. @default 100,000 */
  readonly max?: number;
  /**
   * Whether a `'` is put before text in CSV that a spreadsheet would take for a formula: text that begins with `=`,
   * `+`, `-`, `@`, a tab or a carriage return.
   * @default true
   */
  readonly disarm?: boolean;
  /**
   * The row filter, as a `scope` above would have it. It is asked again for every batch, so that rows which the caller
   * may no longer see are not sent. It narrows `ctx.scope`.
   * @default none
   */
  readonly scope?: Called<[ctx: Context], unknown>;
  /**
   * The places of the streams, as `streamPlaces` returns them. Exports may share them.
   *
   * @default ten places of its own
   */
  readonly places?: StreamPlaces;
  /** Warns of exports that scan the collection, as `findPage` does. @default as for `findPage` */
  readonly warnOnScan?: boolean;
  /**
   * The relations through which the list can be filtered and sorted: the same as for `listQuery`.
   *
   * @default none
   */
  readonly through?: Through;
}

/** The most records that an export may be allowed to have. */
const mostExported = 10_000_000;

/** What a resource sets. */
export const exportOptions = {
  max: byDefault(100_000, aWholeNumber(1, mostExported, ' of records')),
  disarm: byDefault(true, trueOrFalse),
};

const legal = {
  ...databaseOptions,
  ...exportOptions,
  scope: orUndefined(aScope as Legal),
  places: orUndefined(somePlaces),
  warnOnScan: trueOrFalse,
  through: aThrough,
};

/**
 * Answers with all records that `ctx.listQuery` asks for within `ctx.scope`, as a stream: CSV if `Accept` prefers it,
 * otherwise NDJSON, one record for each line. It needs `listQuery` with `whole: true`.
 *
 * The records are read in batches, each within `maxTimeMS` and when the last one has been sent. The stream takes a
 * place of `places` instead of one of `inFlightLimit`. An export that fails after its first byte ends with a line that
 * says why, and its connection is cut. See `docs/reference/export.md`.
 *
 * 422 for more matches than `max`, and 503 without a place.
 *
 * @example
 * router.get('/orders/all', listQuery(Order, cursorPaging(), { whole: true }), exportRecords(Order, { db }));
 */
export function exportRecords(model: ModelInput, options: ExportRecordsOptions): ResourceMiddleware {
  const { max, disarm, places = streamPlaces(defaultOf(maxStreams)) } = checkOptions(options, legal, '`exportRecords`');
  return perView(model, [], (compiled) => {
    const sourceOf = compileSource(compiled, options);
    return step(
      { problems: [...ofRead, 'invalid_query', 'too_many_matches', 'overloaded', 'shutting_down'], needs: ['listQuery'] },
      async function exportRecords(ctx) {
        const query = ctx.listQuery ?? missing('listQuery', 'exportRecords');
        if (!query.isWhole) throw new Error('`exportRecords` needs `listQuery` with `whole: true`.');
        const type = chooseExport(ctx) ?? 'application/x-ndjson';
        const { beginExport } = await import('./work/begin-export.ts');
        await beginExport(ctx, query, sourceOf(ctx), { model: compiled, type, max, disarm, places });
      },
    );
  });
}

/** Says that the answer depends on `Accept`, and returns the media type of the export that it asks for, if any. */
function chooseExport(ctx: Context): ExportType | undefined {
  ctx.vary('Accept');
  return chooseMediaType(ctx.req.headers.accept, jsonType, exportTypes);
}

function compileSource(model: CompiledModel, options: ExportRecordsOptions): (ctx: Context) => ExportSource {
  const { db, maxTimeMS, warnOnScan = isDevelopment(), through } = fillIn(options, timeLimit);
  const collection = openCollection(model, { db, maxTimeMS, warnOnScan });
  const narrow = options.scope && scope(model, options.scope, { writes: false });
  return function sourceOf(ctx) {
    const { scope: outer, rules, openedGuards } = ctx;
    const first = rules?.view;
    const within = () => seeing(model, ctx.deleted ?? 'live', ctx.scope);
    let hasBegun = false;
    return {
      maxTimeMS: model.maxTimeMS ?? maxTimeMS,
      async ask() {
        renewReach(ctx, { openedGuards, rules });
        if (first && !(await ctx.rules?.isIn(first))) return false;
        if (outer) ctx.scope = outer;
        else delete ctx.scope;
        if (narrow) await runAlone(narrow, ctx);
        return true;
      },
      async count(query, most) {
        const related = await askRelated(ctx, query);
        const found = await collection.summarize({ query, within: within(), ...related }, countOf(most), workOf(ctx));
        hasBegun = true;
        return found;
      },
      async read(query, maxPageBytes) {
        const related = await askRelated(ctx, query);
        const asked = hasBegun ? { ...query, scan: undefined } : query; // what it looks at is counted once
        const found = await collection.findPage(asked, within(), { maxPageBytes, ...related }, workOf(ctx));
        hasBegun = true;
        return found;
      },
      noteProblem: (error) => noteProblem(ctx, error),
    };
  };

  function askRelated(ctx: Context, query: Parameters<typeof askThrough>[1]): ReturnType<typeof askThrough> {
    return askThrough(ctx, query, through);
  }
}
