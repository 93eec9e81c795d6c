import { caching } from '../middleware/caching.ts';
import { deleted } from '../middleware/deleted.ts';
import type { ResourceMiddleware } from '../middleware/exchange/context.ts';
import { exportRecords } from '../middleware/export-records.ts';
import { guards } from '../middleware/guards.ts';
import { queryBody } from '../middleware/query-body.ts';
import { scope } from '../middleware/scope.ts';
import type { CompiledResource } from './define/compiled-resource.ts';
import { listQueryName } from './define/endpoints.ts';
import { exportName } from './define/whole-list.ts';
import { queryOf } from './query-of.ts';

/** The names of the chains that answer a list whole, by those of its pages. No custom operation has such a name. */
export const exportChainOf: ReadonlyMap<string, string> = new Map([
  ['list', 'list.export'],
  [listQueryName, 'list.export.query'],
]);

/** Makes the chains that answer a list whole, by their names: with the parameters in the URL, and in a body. */
export function exportChains(r: CompiledResource): (readonly [name: string, make: () => readonly ResourceMiddleware[]])[] {
  if (!r.export) return [];
  return [
    ['list.export', () => exporting(r, 'list', [])],
    ['list.export.query', () => exporting(r, listQueryName, [queryBody({ timeout: r.bodyTimeout, maxValues: r.maxValues })])],
  ];
}

/**
 * The list without pages, which asks the scope for each batch. Its guards are those of the `page` in whose place it
 * comes, and its own. `reading` reads parameters that are not in the URL.
 */
function exporting(r: CompiledResource, page: string, reading: readonly ResourceMiddleware[]): readonly ResourceMiddleware[] {
  const { model, db, maxTimeMS, streams: places, warnOnScan } = r;
  const asked = [...new Set([...r.guardsOf(page), ...r.guardsOf(exportName)])];
  const through = r.through ? { through: r.through } : {};
  const scoped = r.isScoped ? { scope: r.scope } : {};
  return [
    ...(asked.length > 0 ? [guards(...asked)] : []),
    caching(r.caching),
    ...reading,
    ...(r.deletedGuards ? [deleted(model, r.deletedGuards)] : []),
    ...(r.isScoped && r.search ? [scope(model, r.scope, { writes: false })] : []), // its engine is asked before the first batch
    queryOf(r, { whole: true }),
    exportRecords(model, { db, maxTimeMS, ...through, ...scoped, ...r.export, places, warnOnScan }),
  ];
}
