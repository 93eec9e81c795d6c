import type { Document as BsonDocument } from 'mongodb';
import { both, filterOf } from '../predicate/filter-of.ts';
import { type Filter, noRecord } from '../predicate/predicate.ts';
import { rangesBehind, reversePosition, reverseSort } from '../query/position.ts';
import type { ThroughQuery } from '../through/through-stages.ts';
import type { Direction, OwnOrder } from './asked.ts';
import type { ListQuery } from './parse-list-query.ts';
import type { CursorWindow } from './parse-paging.ts';

/** The query of a page: its records, in order or in reverse, and one more that shows whether there is another page. */
export interface PagePlan {
  /** One filter, or the filters of ranges of the list that follow each other. */
  readonly ranges: readonly [Filter, ...Filter[]];
  /** It is a Map, because an object would put a field called `1` first. */
  readonly sort: Map<string, Direction>;
  readonly skip: number;
  readonly limit: number;
  /** The stages that leave out records without certain related records. */
  readonly stages: readonly BsonDocument[];
  /**
   * Set if values of the sort are computed: then the ranges can be applied only after these stages, and a filter before
   * them.
   */
  readonly computed?: { readonly filter: Filter; readonly stages: readonly BsonDocument[] };
  /** Makes the stages of a plug-in that find the records of the range, in an order of their own. */
  readonly find?: OwnOrder['find'];
}

/**
 * Whether the plan of a page depends on which indexes there are. Of two keys, the second is the id: then the two ranges
 * cost as much as two first pages at most, whatever the cursor says.
 */
export function dependsOnIndexes({ window, sort }: Pick<ListQuery, 'window' | 'sort'>): boolean {
  return window.mode === 'cursor' && window.from !== undefined && sort.length > 2;
}

/**
 * Plans the command that finds a page of the matching records. `computing` are the stages that compute values of the
 * sort, and `indexed` says how many of its first keys an index has. By default it has all of them.
 */
export function planPage(
  { window, sort, limit, further }: Pick<ListQuery, 'window' | 'sort' | 'limit' | 'further'>,
  { filter: predicate, stages }: ThroughQuery,
  computing?: readonly BsonDocument[],
  indexed?: number,
): PagePlan {
  if (further?.order) return planInOrder(further.order, limit, { filter: predicate, stages });
  const isBackwards = window.mode === 'cursor' && window.direction === -1;
  const order = isBackwards ? reverseSort(sort) : sort;
  const filter = filterOf(predicate);
  const matching = computing ? {} : filter;
  return {
    ranges: window.mode === 'cursor' ? rangesOf(matching, order, window, indexed) : [matching],
    sort: new Map(order.map(({ field, direction }) => [field.path, direction])),
    skip: window.mode === 'offset' ? (window.number - 1) * limit : 0,
    limit: limit + 1,
    stages,
    ...(computing && { computed: { filter, stages: computing } }),
  };
}

/** Plans the command for the first records of an order of a plug-in. */
function planInOrder({ by, find, compute }: OwnOrder, limit: number, { filter: predicate, stages }: ThroughQuery): PagePlan {
  const filter = filterOf(predicate);
  return {
    ranges: [compute ? {} : filter],
    sort: new Map(by),
    skip: 0,
    limit: limit + 1,
    stages,
    ...(find && { find }),
    ...(compute && { computed: { filter, stages: compute } }),
  };
}

/**
 * How many bytes ids of related records may have in the filter of a page. The filter is a part of each range, and the
 * database takes 16 MiB for the whole command.
 */
export function bytesOfIds({ window, sort }: Pick<ListQuery, 'window' | 'sort'>, isComputed: boolean): number {
  const ranges = window.mode === 'cursor' && window.from && !isComputed ? sort.length : 1;
  return Math.floor(maxBytesOfIds / ranges);
}

/** All the ids of related records in one filter. */
export const maxBytesOfIds = 4 * 1024 ** 2;

function rangesOf(
  matching: Filter,
  order: ListQuery['sort'],
  { from, direction }: CursorWindow,
  indexed: number | undefined,
): PagePlan['ranges'] {
  if (!from) return [matching];
  const [first = filterOf(noRecord), ...others] = rangesBehind(order, direction === 1 ? from : reversePosition(from), indexed);
  return [both(matching, first), ...others.map((range) => both(matching, range))];
}

/** Whether a plan is one filter that a `find` can answer. */
export function isFind({ ranges, stages, computed, find }: PagePlan): boolean {
  return ranges.length === 1 && stages.length === 0 && !computed && !find;
}

/**
 * Builds the aggregation that reads the ranges of a plan one after the other. `$unionWith` begins a range only when the
 * one before it has ended, and the last `$limit` ends all of them. Usually it reads two ranges, and each costs as much
 * as a first page. Where no index tells ranges apart, they are one.
 *
 * Stages of related records stand behind the sort, so that an index can give the order, and no more records are looked
 * at than the page needs. With computed values, all matches are sorted, and the ranges are one condition on the values.
 */
export function buildPipeline(plan: PagePlan, collection: string): BsonDocument[] {
  const { ranges, sort, skip, limit, stages, computed, find } = plan;
  const [first, ...others] = ranges;
  const cut = [...(skip > 0 ? [{ $skip: skip }] : []), { $limit: limit }];
  if (find) return [...find(first), ...stages, ...cut, { $sort: sort }];
  if (computed) return [{ $match: computed.filter }, ...stages, ...computed.stages, { $match: { $or: ranges } }, { $sort: sort }, ...cut];
  const read = (range: Filter): BsonDocument[] => [{ $match: range }, { $sort: sort }, ...stages, ...cut];
  if (others.length === 0) return read(first);
  return [...read(first), ...others.map((range) => ({ $unionWith: { coll: collection, pipeline: read(range) } })), { $limit: limit }];
}
