import type { ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { type ListQueryOptions, listQuery } from '../../middleware/list-query.ts';
import { optionsOfList } from '../define/list-of.ts';
import type { Unguarded } from './row.ts';

/** Reads the parameters of the list of a resource: its pages, the whole list, or the page that is kept true. */
export function queryOf(r: Unguarded, kind: Pick<ListQueryOptions, 'whole' | 'isLive'> = {}): ResourceMiddleware {
  const { model, paging, path: name, fields, includes, through, filterLimits } = r;
  return listQuery(model, paging, { name, fields, includes, ...(through && { through }), ...filterLimits, ...optionsOfList(r), ...kind });
}
