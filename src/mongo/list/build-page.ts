import { invalidQuery, type Problem } from '../../errors.ts';
import { isDBRef } from '../../model/value/bson-type.ts';
import { bracketOf } from '../../model/value/sort-value.ts';
import { isStoredObject } from '../../model/value/stored-shape.ts';
import { writeUntyped } from '../../model/value/untyped.ts';
import { Invalid } from '../../rules.ts';
import type { SortKey } from '../query/position.ts';
import type { StoredRecord } from '../stored-record.ts';
import { formatCursor } from './cursor.ts';
import type { ListQuery } from './parse-list-query.ts';
import type { CursorWindow, OnlyWindow } from './parse-paging.ts';

type Stored = Record<string, unknown>;

/** One page of a list. */
export interface Page extends PageEnd {
  /** In the order of the list. */
  readonly records: readonly StoredRecord[];
  /** How many records were asked for. */
  readonly size: number;
  /** The number of all matches, when it was asked for. */
  readonly total: Total | undefined;
  /** The most bytes that the JSON of its records may have. */
  readonly maxPageBytes: number;
  /** The direction in which it was read: `-1` for `before`, from its last record on. */
  readonly direction: 1 | -1;
  /**
   * The end of the page if this is the last record that was read. Throws `invalid_query` (400) for a page by number,
   * which cannot end early.
   */
  endAt(last: StoredRecord): PageEnd;
  /** The record behind the page, if it was read. */
  readonly behind?: StoredRecord | undefined;
  /** What a plug-in tells of its records, beside what every page does. */
  readonly describe?: (records: readonly StoredRecord[]) => object;
  /** The JSON of its records, once it is written. */
  readonly written?: WrittenRecords;
}

/** The parts of a page that depend on its end. */
interface PageEnd {
  readonly hasNext: boolean;
  /** The place of the page in its list. */
  readonly place: CursorPlace | OffsetPlace | OnlyWindow;
}

/** The bytes of a JSON array, and the records in it, and the answer that was written around it. */
export interface WrittenRecords {
  readonly of: readonly StoredRecord[];
  readonly json: Buffer;
  /** The ends of the records in it, in the order in which they were read. */
  readonly ends: readonly number[];
  readonly body: Buffer;
  /** What the answer tells of the page, behind the array. */
  readonly after: string;
}

/** The cursors of the next and the previous page; null if there is none. */
export interface CursorPlace {
  readonly mode: 'cursor';
  readonly next: string | null;
  readonly prev: string | null;
}

/** The number of the page, from 1 on. */
export interface OffsetPlace {
  readonly mode: 'offset';
  readonly number: number;
}

/** A number of records, counted or estimated. */
export interface Total {
  readonly count: number;
  readonly isEstimate: boolean;
}

/** The first records of a list that a page has room for, in the order in which they were read. */
export interface Fitting {
  readonly records: StoredRecord[];
  /** Whether there are more. */
  readonly goesOn: boolean;
  /** Whether there was no room for the others that the page would have had. */
  readonly isCutShort: boolean;
  /** The first record that it has no room for, if it was read. */
  readonly behind?: StoredRecord | undefined;
  /** A record that was left out, because its id is of another type than the model's. */
  readonly unaddressable?: Uint8Array | undefined;
}

/** Makes a page of what was read. Throws `invalid_query` (400) if a page by number has too many bytes. */
export function buildPage(
  query: ListQuery,
  { records, goesOn, isCutShort, behind }: Fitting,
  { total, maxPageBytes, fetchPrivate }: Pick<Page, 'total' | 'maxPageBytes'> & { readonly fetchPrivate: boolean },
): Page {
  const { window, limit, sort, further } = query;
  const describe = further?.order?.describe;
  const pageWith = ({ hasNext, place }: PageEnd, endAt: Page['endAt'], direction: Page['direction'] = 1): Page => ({
    records,
    size: limit,
    direction,
    hasNext,
    place,
    endAt,
    total,
    maxPageBytes,
    behind,
    ...(describe && { describe }),
  });
  if (window.mode === 'offset') {
    const refuse = () => {
      throw pageTooLarge(query, maxPageBytes, fetchPrivate);
    };
    if (isCutShort) refuse();
    const place: OffsetPlace = { mode: 'offset', number: window.number };
    return pageWith({ hasNext: goesOn, place }, refuse);
  }
  if (window.mode === 'only') {
    const end = (hasNext: boolean) => ({ hasNext, place: window });
    return pageWith(end(goesOn), () => end(true));
  }
  // Every record is checked, not only the one for the cursor. Otherwise the page size would decide whether a record
  // that has no place in the order is shown, refused or skipped.
  const sortPaths = sort.map(({ field }) => field.path);
  for (const record of records) if (!record.isSortableBy(sortPaths)) for (const key of sort) sortValueOf(record.stored, key);
  const sortKeys = [...new Set(['_id', ...sortPaths.map((path) => path.split('.', 1)[0] as string)])]; // `_id` for an error
  const endAt = (one: StoredRecord) => {
    const stored = one.pick(sortKeys);
    return endBehind(
      sort.map((key) => sortValueOf(stored, key)),
      window,
    );
  };
  const last = goesOn ? records.at(-1) : undefined;
  const end = last ? endAt(last) : endBehind(undefined, window);
  if (window.direction === -1) records.reverse();
  return pageWith(end, endAt, window.direction);
}

/** The 400 that says how to make a page smaller. Fewer fields do not help if whole records are fetched. */
function pageTooLarge({ isSelectable, include }: ListQuery, maxPageBytes: number, fetchPrivate: boolean): Problem {
  const smaller = [
    'fewer records',
    ...(isSelectable && !fetchPrivate ? ['fewer fields by fields'] : []),
    ...(include.length > 0 ? ['fewer relations by include'] : []),
  ];
  const message = `leads to a page of more than ${maxPageBytes} bytes: ask for ${smaller.join(', or for ')}`;
  return invalidQuery([new Invalid('page_too_large', message, { limit: maxPageBytes }).at('limit')]);
}

/**
 * The end of a page whose last record has these sort values. Without values, it is the last page.
 *
 * The page that a cursor came from is on the other side of it. Its own position therefore leads back, also from an
 * empty page, and no query is needed to know that. The page there is empty if its records have been deleted since.
 */
function endBehind(values: readonly unknown[] | undefined, { from, direction, list }: CursorWindow): PageEnd {
  const back = from ? formatCursor(list, from) : null;
  const on = values ? formatCursor(list, { values, side: direction }) : null;
  const [next, prev] = direction === 1 ? [on, back] : [back, on];
  return { hasNext: next !== null, place: { mode: 'cursor', next, prev } };
}

/** What clients are told of a page besides its records. */
export function describePage({ size, hasNext, place, total, records, describe }: Page): object {
  const counted = total && { total: total.count, ...(total.isEstimate ? { total_is_estimate: true } : {}) };
  if (place.mode === 'offset') return { size, number: place.number, has_next: hasNext, ...counted };
  if (place.mode === 'only')
    return { size, has_next: hasNext, ...(place.isNumbered ? { number: 1 } : noCursors), ...counted, ...describe?.(records) };
  return { size, has_next: hasNext, next_cursor: place.next, prev_cursor: place.prev, ...counted };
}

const noCursors = { next_cursor: null, prev_cursor: null };

/** The page with only the first records that were read. For `before`, these are its last ones. */
export function shortenPage(page: Page, count: number): Page {
  const read = inReadingOrder(page).slice(0, count);
  const end = page.endAt(read.at(-1) as StoredRecord);
  return { ...page, records: page.direction === 1 ? read : read.reverse(), ...end };
}

/** The records of a page in the order in which they were read. */
export function inReadingOrder({ records, direction }: Page): readonly StoredRecord[] {
  return direction === 1 ? records : records.toReversed();
}

function sortValueOf(stored: Readonly<Stored>, { field }: SortKey): unknown {
  const value = sortValueAt(stored, field.path);
  if (bracketOf(value) !== undefined) return value;
  throw new Error(
    `The record with the id ${writeUntyped(stored._id)} holds something in \`${field.name}\` that is not a single value, or is a date outside JavaScript's range. It has no place in a list sorted by that field, so the page that it is on cannot be shown.`,
  );
}

/**
 * The value that the database sorts a record by; null if the path ends early. If an array is on the path, it is the
 * array.
 */
function sortValueAt(stored: Readonly<Stored>, path: string): unknown {
  let value: unknown = stored;
  for (const key of path.split('.')) {
    if (Array.isArray(value)) return value;
    const object = isDBRef(value) ? value.toJSON() : value; // the driver makes a DBRef of any object with `$ref` and `$id`
    if (!isStoredObject(object) || !Object.hasOwn(object, key)) return null;
    value = object[key];
  }
  return value;
}
