import type { Document as BsonDocument } from 'mongodb';
import { both, type Filter } from '../query/filter.ts';
import { rangesBehind, reversePosition, reverseSort } from '../query/position.ts';
import type { ListQuery } from './parse-list-query.ts';
import type { CursorWindow } from './parse-paging.ts';

/** What the database is asked for: the records of a page in its order, or in reverse, and one more that tells whether they go on. */
export interface PagePlan {
  /** One filter, or those of ranges of the list that follow each other. */
  readonly ranges: readonly [Filter, ...Filter[]];
  /** A Map, because an object would put a field `1` first. */
  readonly sort: Map<string, 1 | -1>;
  readonly skip: number;
  readonly limit: number;
}

/** Plans the one command that finds a page among the records that match. */
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
 * The aggregation that reads the ranges of a plan one after the other. `$unionWith` begins a range only when the one before it has ended,
 * and the last `$limit` ends them all: as a rule two are read, and each costs what a first page does.
 */
export function buildUnion({ ranges: [first, ...others], sort, limit }: PagePlan, collection: string): BsonDocument[] {
  const read = (range: Filter): BsonDocument[] => [{ $match: range }, { $sort: sort }, { $limit: limit }];
  return [...read(first), ...others.map((range) => ({ $unionWith: { coll: collection, pipeline: read(range) } })), { $limit: limit }];
}
