import { type Document as BsonDocument, DBRef } from 'mongodb';
import type { CompiledModel } from '../model/compile-model.ts';
import { isStoredObject } from '../model/stored-shape.ts';
import { writeUntyped } from '../model/untyped.ts';
import { formatCursor } from './cursor.ts';
import { both, type Filter } from './filter.ts';
import type { ListQuery } from './list-query.ts';
import type { CursorWindow } from './paging.ts';
import { rangesBehind, reversePosition, reverseSort, type SortKey } from './position.ts';
import { bracketOf } from './sort-value.ts';
import { StoredRecord } from './stored-record.ts';

type Stored = Record<string, unknown>;

/** One page of a list. */
export interface Page {
  readonly records: readonly StoredRecord[];
  readonly size: number;
  readonly hasNext: boolean;
  /** Where the page stands in its list. */
  readonly place: CursorPlace | OffsetPlace;
  /** The number of all matches, when it was asked for. */
  readonly total: Total | undefined;
}

/** The cursors of the pages on either side; null where there is none. */
export interface CursorPlace {
  readonly mode: 'cursor';
  readonly next: string | null;
  readonly prev: string | null;
}

/** The page's number, from 1 on. */
export interface OffsetPlace {
  readonly mode: 'offset';
  readonly number: number;
}

/** A number of records, counted or estimated. */
export interface Total {
  readonly count: number;
  readonly isEstimate: boolean;
}

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

/** Makes a page of what {@link planPage} found. */
export function buildPage(model: CompiledModel, query: ListQuery, found: readonly Stored[], total: Total | undefined): Page {
  const { window, limit, fields } = query;
  const goesOn = found.length > limit;
  const stored = found.slice(0, limit);
  if (window.mode === 'cursor' && window.direction === -1) stored.reverse();
  const records = stored.map((one) => new StoredRecord(model, one, fields));
  if (window.mode === 'offset') return { records, size: limit, hasNext: goesOn, place: { mode: 'offset', number: window.number }, total };
  const place = placeOf(stored, goesOn, query, window);
  return { records, size: limit, hasNext: place.next !== null, place, total };
}

/**
 * The page that a cursor came from lies on the other side of it, so that its own position leads back, from an empty page too. That there is
 * such a page is known without asking the database again; it may turn out empty where records were deleted meanwhile.
 *
 * Every record must have its place in the order, not only the one that a cursor is made of: otherwise it would depend on the page size
 * whether such a record is shown, refused or passed over.
 */
function placeOf(stored: readonly Stored[], goesOn: boolean, { sort }: ListQuery, { from, direction, digest }: CursorWindow): CursorPlace {
  const places = stored.map((one) => sort.map((key) => sortValueOf(one, key)));
  const back = from ? formatCursor(digest, from) : null;
  const end = direction === 1 ? places.at(-1) : places[0];
  const on = goesOn && end ? formatCursor(digest, { values: end, side: direction }) : null;
  return direction === 1 ? { mode: 'cursor', next: on, prev: back } : { mode: 'cursor', next: back, prev: on };
}

function sortValueOf(stored: Stored, { field }: SortKey): unknown {
  const value = sortValueAt(stored, field.path);
  if (bracketOf(value) !== undefined) return value;
  throw new Error(
    `The record with the id ${writeUntyped(stored._id)} holds something in \`${field.name}\` that is no single value, or is a date outside JavaScript's range. It has no place in a list sorted by that field, so the page that it is on cannot be shown.`,
  );
}

/** What the database sorts a record by, null where the path ends early; for a list on the path that list, of which it takes an element. */
function sortValueAt(stored: Stored, path: string): unknown {
  let value: unknown = stored;
  for (const key of path.split('.')) {
    if (Array.isArray(value)) return value;
    const object = value instanceof DBRef ? value.toJSON() : value; // the driver makes one of any object with `$ref` and `$id`
    if (!isStoredObject(object) || !Object.hasOwn(object, key)) return null;
    value = object[key];
  }
  return value;
}
