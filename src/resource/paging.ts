import { ConfigurationError } from '../errors.ts';
import { checkNames } from '../middleware/parts/check-options.ts';
import type { CursorPaging, OffsetPaging, Totals } from '../mongo/list/parse-paging.ts';
import type { CursorPagingOptions, OffsetPagingOptions } from './resource-options.ts';

/**
 * Pages by key: the cost of a page does not grow with its distance from the first, and records that are inserted or deleted meanwhile move
 * no other. Clients go forwards by `after` and backwards by `before`.
 *
 * @example
 * shop.resource({ model: Order, paging: cursorPaging({ max: 50, total: true }) });
 */
export function cursorPaging(options: CursorPagingOptions = {}): CursorPaging {
  return { mode: 'cursor', ...checkSettings('cursorPaging', options, ['max', 'size', 'total']) };
}

/**
 * Pages by number: `page=3`, for those who want to leaf. The database reads what a page skips, so that a page costs the more the deeper it
 * is, up to `maxOffset`; records that are inserted or deleted meanwhile move all that follow.
 *
 * @example
 * shop.resource({ model: Order, paging: offsetPaging({ size: 10, total: true }) });
 */
export function offsetPaging(options: OffsetPagingOptions = {}): OffsetPaging {
  const settings = checkSettings('offsetPaging', options, ['max', 'size', 'total', 'maxOffset']);
  const { maxOffset = 10_000 } = options;
  if (!Number.isSafeInteger(maxOffset) || maxOffset < 0) {
    throw new ConfigurationError('`maxOffset` of `offsetPaging` must be a whole number of at least 0.');
  }
  return { mode: 'offset', ...settings, maxOffset };
}

function checkSettings(by: string, options: CursorPagingOptions, legal: readonly string[]): { max: number; size: number; total: Totals } {
  checkNames('option', Object.keys(options), legal, `\`${by}\``);
  const { max = 100, size = Math.min(20, max), total = false } = options;
  if (!Number.isInteger(max) || max < 1) throw new ConfigurationError(`\`max\` of \`${by}\` must be a whole number of at least 1.`);
  if (!Number.isInteger(size) || size < 1 || size > max) {
    throw new ConfigurationError(`\`size\` of \`${by}\` must be a whole number from 1 to \`max\`.`);
  }
  if (typeof total !== 'boolean' && total !== 'estimate')
    throw new ConfigurationError(`\`total\` of \`${by}\` must be true, false or 'estimate'.`);
  return { max, size, total };
}
