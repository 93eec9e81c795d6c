import { ConfigurationError } from '../errors.ts';
import type { Paging } from '../mongo/list-query.ts';
import { checkNames } from './check-names.ts';
import type { CursorPagingOptions } from './resource-options.ts';

/**
 * Pages by key: the cost of a page does not grow with its distance from the first, and records that are inserted or deleted meanwhile move
 * no other.
 *
 * @example
 * shop.resource({ model: Order, paging: cursorPaging({ max: 50, total: true }) });
 */
export function cursorPaging(options: CursorPagingOptions = {}): Paging {
  checkNames('option', Object.keys(options), ['max', 'size', 'total'], '`cursorPaging`');
  const { max = 100, size = Math.min(20, max), total = false } = options;
  if (!Number.isInteger(max) || max < 1) throw new ConfigurationError('`max` of `cursorPaging` must be a whole number of at least 1.');
  if (!Number.isInteger(size) || size < 1 || size > max) {
    throw new ConfigurationError('`size` of `cursorPaging` must be a whole number from 1 to `max`.');
  }
  if (typeof total !== 'boolean') throw new ConfigurationError('`total` of `cursorPaging` must be true or false.');
  return { max, size, total };
}
