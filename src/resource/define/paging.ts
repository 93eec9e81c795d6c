import type { CursorPaging, OffsetPaging, Totals } from '../../mongo/list/parse-paging.ts';
import { aWholeNumber, checkOptions, type LegalOptions, orUndefined } from '../../options.ts';
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
  checkOptions(options, settingsOf(options), '`cursorPaging`');
  return { mode: 'cursor', ...fillIn(options) };
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
  checkOptions(options, { ...settingsOf(options), maxOffset: orUndefined(aWholeNumber(0)) }, '`offsetPaging`');
  return { mode: 'offset', ...fillIn(options), maxOffset: options.maxOffset ?? 10_000 };
}

const defaultMax = 100;

/** What is legal for the options of both; the largest `size` depends on `max`. */
function settingsOf(options: CursorPagingOptions): LegalOptions<CursorPagingOptions> {
  const most = options?.max ?? defaultMax;
  return {
    max: orUndefined(aWholeNumber(1)),
    size: orUndefined([(size) => aWholeNumber(1, most)[0](size), 'a whole number from 1 to `max`']),
    total: orUndefined([(total) => typeof total === 'boolean' || total === 'estimate', "true, false or 'estimate'"]),
  };
}

function fillIn({ max = defaultMax, size = Math.min(20, max), total = false }: CursorPagingOptions): {
  max: number;
  size: number;
  total: Totals;
} {
  return { max, size, total };
}
