import type { Document as BsonDocument } from 'mongodb';
import { both, type Filter } from '../query/filter.ts';
import { rangesBehind, reversePosition, reverseSort } from '../query/position.ts';
import type { ListQuery } from './parse-list-query.ts';
import type { CursorWindow } from './parse-paging.ts';

/** The query of a page: its records, in order or in reverse, and one more that shows whether there is another page. */
export interface PagePlan {
  /** One filter, or the filters of ranges of the list that follow each other. */
  readonly ranges: readonly [Filter, ...Filter[]];
  /** It is a Map, because an object would put a field called `1` first. */
  readonly sort: Map<string, 1 | -1>;
  readonly skip: number;
  readonly limit: number;
}

/** Plans the command that finds a page of the matching records. */
export function planPage({ window, sort, limit }: ListQuery, matching: Filter): PagePlan {
  const isBackwards = window.mode === 'cursor' && window.direction === -1;
  const order = isBackwards ? reverseSort(sort) : sort;
  return {
    ranges: window.mode === 'cursor' ? rangesOf(matching, order, window) : [matching],
    sort: new Map(order.map(({ field, direction }) => [field.path, direction])),
    skip: window.mode === 'offset' ? (window.number - 1) * limit : 0,
    limit: limit + 1,
  };
}

function rangesOf(matching: Filter, order: ListQuery['sort'], { from, direction }: CursorWindow): PagePlan['ranges'] {
  if (!from) return [matching];
  const [first = nothing, ...others] = rangesBehind(order, direction === 1 ? from : reversePosition(from));
  return [both(matching, first), ...others.map((range) => both(matching, range))];
}

const nothing: Filter = { _id: { $in: [] } };

/**
 * Builds the aggregation that reads the ranges of a plan one after the other. `$unionWith` begins a range only when the one before it has ended,
 * and the last `$limit` ends all of them. Usually two ranges are read, and each costs as much as a first page.
 */
export function buildUnion({ ranges: [first, ...others], sort, limit }: PagePlan, collection: string): BsonDocument[] {
  const read = (range: Filter): BsonDocument[] => [{ $match: range }, { $sort: sort }, { $limit: limit }];
  return [...read(first), ...others.map((range) => ({ $unionWith: { coll: collection, pipeline: read(range) } })), { $limit: limit }];
}
