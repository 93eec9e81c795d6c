import type { ErrorSink } from '../../http/query-errors.ts';
import { checkValue, type Legal } from '../../options.ts';
import { Invalid } from '../../rules.ts';
import type { Position } from '../query/position.ts';

/**
 * The totals that a list offers: `true` for `total=true` and `total=estimate`, `'estimate'` for the latter only,
 * `false` for none.
 */
export type Totals = boolean | 'estimate';

interface PageSettings {
  /** The largest page that a client gets. */
  readonly max: number;
  /** The size of a page if `limit` is omitted. */
  readonly size: number;
  readonly total: Totals;
}

/** Paging by cursor: the result of `cursorPaging()`. */
export interface CursorPaging extends PageSettings {
  readonly mode: 'cursor';
}

/** Paging by number: the result of `offsetPaging()`. */
export interface OffsetPaging extends PageSettings {
  readonly mode: 'offset';
  /** The most records that a page may skip. */
  readonly maxOffset: number;
}

/** How a list is cut into pages. */
export type Paging = CursorPaging | OffsetPaging;

/** Whether a value is a result of `cursorPaging()` or `offsetPaging()`. */
export function isPaging(paging: unknown): paging is Paging {
  const { mode, size, max } = (paging ?? {}) as Partial<Paging>;
  return (mode === 'cursor' || mode === 'offset') && Number.isInteger(size) && Number.isInteger(max);
}

/** The legal values of the paging of a list. */
export const aPaging: Legal = [isPaging, 'what `cursorPaging()` or `offsetPaging()` returns'];

/** Checks the paging of a list. */
export function checkPaging(paging: Paging): void {
  checkValue('`paging`', paging, aPaging);
}

/** The part of a list that a request asks for. */
export type Window = OffsetWindow | CursorWindow | OnlyWindow;

/** The only page of a list whose records a plug-in finds and orders. */
export interface OnlyWindow {
  readonly mode: 'only';
  /** Whether the list is paged by number. */
  readonly isNumbered: boolean;
}

/** The page of a number, from 1 on. */
interface OffsetWindow {
  readonly mode: 'offset';
  readonly number: number;
}

/** The records behind (`1`) or before (`-1`) a position. Without a position it is the beginning of the list. */
export interface CursorWindow {
  readonly mode: 'cursor';
  readonly from: Position | undefined;
  readonly direction: 1 | -1;
  /** Binds cursors to the resource, the sort and the filter: the text of the list. */
  readonly list: string;
}

/** The values of the parameters of a list, by name. */
export type Settings = ReadonlyMap<string, readonly string[]>;

/**
 * The records that the total of a list would count. Matches can be counted; only the size of the whole collection can
 * be estimated.
 */
export interface Counted {
  readonly isFiltered: boolean;
  readonly isPartial: boolean;
}

export const notPositiveInteger = new Invalid('positive_integer', 'must be a whole number of at least 1, in digits');

export function isPositiveInteger(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) >= 1;
}

/** The page size of `limit`, at most the largest. */
export function parseLimit(settings: Settings, { max, size }: Pick<Paging, 'max' | 'size'>, errors: ErrorSink): number {
  const text = settings.get('limit')?.[0];
  if (text === undefined) return size;
  if (isPositiveInteger(text)) return Math.min(Number(text), max);
  errors.push(notPositiveInteger.at('limit'));
  return size;
}

/** The number of `page`. A page deeper than `maxOffset` is refused, with the number of the last one. */
export function parsePageNumber(settings: Settings, limit: number, { maxOffset }: OffsetPaging, errors: ErrorSink): number {
  const text = settings.get('page')?.[0] ?? '1';
  const last = Math.floor(maxOffset / limit) + 1;
  if (!isPositiveInteger(text)) errors.push(notPositiveInteger.at('page'));
  else if (Number(text) > last) {
    const message = `is too deep: a page may skip ${maxOffset} records, so that the last one of ${limit} is ${last}; narrow the list by filters`;
    errors.push(new Invalid('max_offset', message, { limit: maxOffset, last }).at('page'));
  }
  return Number(text);
}

const notTotal = new Invalid('enum', 'must be true, false or estimate', { values: ['true', 'false', 'estimate'] });

/** The total that the request asks for, if any. */
export function parseTotal(
  settings: Settings,
  { total }: Paging,
  { isFiltered, isPartial }: Counted,
  errors: ErrorSink,
): 'exact' | 'estimate' | undefined {
  const refuse = (found: Invalid): undefined => void errors.push(found.at('total'));
  const text = settings.get('total')?.[0] ?? 'false';
  const instead = total === true ? '; use total=true' : '';
  if (text === 'false') return undefined;
  if (text !== 'true' && text !== 'estimate') return refuse(notTotal);
  if (total === false) return refuse(new Invalid('not_available', 'is not available for this list'));
  if (text === 'true')
    return total === true ? 'exact' : refuse(new Invalid('estimate_only', 'can only be estimated in this list; use total=estimate'));
  if (isPartial) return refuse(new Invalid('not_estimable', `cannot be estimated: the list shows a part of its records only${instead}`));
  if (isFiltered) return refuse(new Invalid('not_estimable', `cannot be estimated under a filter${instead || '; leave the filters out'}`));
  return 'estimate';
}

const notByCursor = new Invalid('not_available', 'is not available: this list is paged by cursor; use after');
const notByNumber = new Invalid('not_available', 'is not available: this list is paged by number; use page');
const notBesideAfter = new Invalid('conflicting_parameter', 'cannot stand beside after: a page lies on one side of a cursor', {
  with: 'after',
});

/** Refuses parameters that the paging of the list does not have, and those that contradict each other. */
export function refusePaging(settings: Settings, { mode }: Paging, errors: ErrorSink): void {
  const [foreign, found] = mode === 'cursor' ? [['page'], notByCursor] : [['after', 'before'], notByNumber];
  for (const name of foreign) if (settings.has(name)) errors.push(found.at(name));
  if (mode === 'cursor' && settings.has('after') && settings.has('before')) {
    errors.push(notBesideAfter.at('before'));
  }
}
