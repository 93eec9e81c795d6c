import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { isServerError, serverCodes } from '../driver/server-error.ts';
import type { Fitting, Page } from '../list/build-page.ts';
import type { Near } from '../list/near-parameters.ts';
import type { ListQuery } from '../list/parse-list-query.ts';
import type { PagePlan } from '../list/plan-page.ts';
import { filterOf } from '../predicate/filter-of.ts';
import type { ThroughQuery } from '../relations/through/through-stages.ts';
import type { StoredRecord } from '../stored-record.ts';
import { distanceKey } from './circle.ts';

/**
 * Plans the command that finds the nearest of the matching records. `$geoNear` orders them by distance alone: those of
 * equal distance are ordered by id among themselves.
 */
export function planNear({ limit, near }: Pick<ListQuery, 'limit' | 'near'>, { filter, stages }: ThroughQuery): PagePlan {
  const order = [distanceKey, '_id'].map((key) => [key, 1] as const);
  return { ranges: [filterOf(filter)], sort: new Map(order), skip: 0, limit: limit + 1, stages, nearest: (near as Near).nearest };
}

/** The page of the nearest records, with their distances if these were asked for. */
export function withDistances(page: Page, { showsDistances }: Near): Page {
  return showsDistances ? { ...page, distanceOf } : page;
}

/** To a tenth of a metre: six decimals of a degree say no more. */
function distanceOf(record: StoredRecord): number {
  return Math.round(Number(record.pick([distanceKey])[distanceKey]) * 10) / 10;
}

/**
 * Awaits what `$geoNear` returns. A collection that does not exist has no records. Throws a plain Error (500) that says
 * which index is missing.
 */
export async function withIndex(found: Promise<Fitting>, { collection }: CompiledModel, near: Near): Promise<Fitting> {
  try {
    return await found;
  } catch (error) {
    if (isServerError(error, serverCodes.namespaceNotFound)) return { records: [], goesOn: false, isCutShort: false };
    if (!isServerError(error, serverCodes.noQueryExecutionPlans) && !isServerError(error, serverCodes.indexNotFound)) throw error;
    const { key } = near.nearest;
    throw new Error(
      `A list of \`${collection}\` with \`near\` needs an index: await applyIndexes(api), or db.collection(${JSON.stringify(collection)}).createIndex({ ${JSON.stringify(key)}: '2dsphere' }).`,
      { cause: error },
    );
  }
}
