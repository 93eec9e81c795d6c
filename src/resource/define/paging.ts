import type { CursorPaging, OffsetPaging } from '../../mongo/list/parse-paging.ts';
import { aWholeNumber, byDefault, checkOptions, defaultOf } from '../../options.ts';
import type { CursorPagingOptions, OffsetPagingOptions } from './list-options.ts';

/**
 * Pages by cursor. A page costs the same wherever it is, and is not shifted by records that are inserted or deleted
 * meanwhile. Clients go forwards by `after` and backwards by `before`. Throws a `ConfigurationError` for an invalid
 * option.
 *
 * @example
 * shop.resource({ model: Order, paging: cursorPaging({ max: 50, total: true }) });
 */
export function cursorPaging(options: CursorPagingOptions = {}): CursorPaging {
  return { mode: 'cursor', ...checkOptions(options, settingsOf(options), '`cursorPaging`') };
}

/**
 * Pages by number: `page=3`. The database also reads the records that a page skips, up to `maxOffset`, so that later
 * pages cost more; records that are inserted or deleted meanwhile shift all later ones. Throws a `ConfigurationError`
 * for an invalid option.
 *
 * @example
 * shop.resource({ model: Order, paging: offsetPaging({ size: 10, total: true }) });
 */
export function offsetPaging(options: OffsetPagingOptions = {}): OffsetPaging {
  const legal = { ...settingsOf(options), maxOffset: byDefault(10_000, aWholeNumber(0)) };
  return { mode: 'offset', ...checkOptions(options, legal, '`offsetPaging`') };
}

const max = byDefault(100, aWholeNumber(1));

/** What is legal for the options of both; the largest `size` depends on `max`. */
function settingsOf(options: CursorPagingOptions) {
  const most = options?.max ?? defaultOf(max);
  return {
    max,
    size: byDefault(Math.min(20, most), [(size) => aWholeNumber(1, most)[0](size), 'a whole number from 1 to `max`']),
    total: byDefault(false, [(total) => typeof total === 'boolean' || total === 'estimate', "true, false or 'estimate'"]),
  };
}
