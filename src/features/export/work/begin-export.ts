import { Readable } from 'node:stream';
import type { Context } from '../../../middleware/exchange/context.ts';
import { exchangeOf } from '../../../middleware/exchange/exchange.ts';
import type { StreamPlaces } from '../../../middleware/exchange/stream-places.ts';
import type { CompiledModel } from '../../../model/compile/compile-model.ts';
import type { ListQuery } from '../../../mongo/list/parse-list-query.ts';
import type { ExportType } from '../types.ts';
import { type ExportSource, ExportWalk, tooManyToExport } from './walk.ts';
import { csv } from './write-csv.ts';
import { ndjson } from './write-ndjson.ts';

/** How a list is exported. */
export interface ExportPlan {
  readonly model: CompiledModel;
  readonly type: ExportType;
  readonly max: number;
  readonly disarm: boolean;
  readonly places: StreamPlaces;
}

/**
 * Begins the export of a list: whatever can be known to fail is answered as a problem before the first byte. Throws
 * `too_many_matches` (422), and `overloaded` or `shutting_down` (503) without a place.
 */
export async function beginExport(ctx: Context, query: ListQuery, source: ExportSource, plan: ExportPlan): Promise<void> {
  const exchange = exchangeOf(ctx);
  exchange.throwIfGivenUp();
  const walk = new ExportWalk(source, query, exchange, ctx.res);
  const leave = plan.places.take((reason) => walk.end(reason));
  exchange.whenOver(leave);
  try {
    await source.ask();
    if ((await source.count(query, plan.max + 1)) > plan.max) throw tooManyToExport(plan.max);
    const isHead = ctx.method === 'HEAD';
    exchange.renewWork();
    exchange.work.limitTo(source.maxTimeMS);
    if (!isHead) await walk.begin();
    answer(ctx, query, walk, plan, isHead);
  } catch (error) {
    leave();
    throw error;
  }
}

function answer(ctx: Context, { fields }: ListQuery, walk: ExportWalk, plan: ExportPlan, isHead: boolean): void {
  const { model, type, disarm, max } = plan;
  const format = type === 'text/csv' ? csv(model, fields?.selection, disarm) : ndjson();
  ctx.status = 200; // the app may have set another one
  ctx.set('Content-Type', format.contentType);
  if (type === 'text/csv') ctx.set('Content-Disposition', `attachment; filename="${fileName(ctx, model)}.csv"`);
  exchangeOf(ctx).isStreaming = !isHead;
  ctx.body = isHead ? Readable.from([]) : Readable.from(walk.run(format, max), { objectMode: false });
}

/** The name of a collection may have any characters. */
function fileName({ operation }: Context, { collection }: CompiledModel): string {
  return (operation?.resource ?? collection).replace(/[^\w.~-]/g, '_');
}
