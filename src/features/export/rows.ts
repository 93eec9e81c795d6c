import { caching } from '../../middleware/caching.ts';
import { streamPlaces } from '../../middleware/exchange/stream-places.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import { queryEndpoints } from '../../resource/define/endpoints.ts';
import { facetOf, sharedOf } from '../../resource/define/facet.ts';
import { addedToListOf } from '../../resource/define/list-of.ts';
import { standardOperations } from '../../resource/define/standard-operations.ts';
import { queryName } from '../../resource/define/whole-list.ts';
import { readQuery, scopedToRead, store, trash } from '../../resource/table/parts.ts';
import { queryOf } from '../../resource/table/query-of.ts';
import { type Chain, type Row, rowOf, type Unguarded } from '../../resource/table/row.ts';
import { exportRecords } from './export-records.ts';
import { readExport } from './options.ts';
import { exportName, exportTypes } from './types.ts';

/** The lists that are answered whole: with their parameters in the URL, and in a body. */
export function exportRows(r: CompiledResource): Row[] {
  if (!facetOf(r, readExport)) return [];
  const { method, path } = standardOperations.list;
  return [
    exportRow(r, { name: 'list.export', method, path }, ['list', exportName], []),
    ...queryEndpoints(path).map((endpoint) =>
      exportRow(r, { name: 'list.export.query', twinOf: 'list.export', ...endpoint }, ['list', queryName, exportName], [readQuery(r)]),
    ),
  ];
}

function exportRow(
  r: CompiledResource,
  place: Pick<Row, 'name' | 'method' | 'path' | 'twinOf'>,
  names: readonly string[],
  reading: Chain,
): Row {
  return rowOf(r, {
    ...place,
    operation: exportName,
    subject: { kind: 'variant' },
    when: { accept: exportTypes },
    mayBeRecord: place.twinOf !== undefined,
    asks: [{ resource: r, names }],
    mayNameRelations: true,
    readsJson: place.twinOf !== undefined,
    chain: () => chainOf(r, reading),
  });
}

/**
 * The list without pages, which asks the scope for each batch. `reading` reads parameters that are not in the URL.
 */
function chainOf(r: Unguarded, reading: Chain): Chain {
  const { model, warnOnScan } = r;
  const places = sharedOf(r, streamPlaces);
  const through = r.through ? { through: r.through } : {};
  const scoped = r.isScoped ? { scope: r.scope } : {};
  return [
    caching(r.caching),
    ...reading,
    ...trash(r),
    ...(addedToListOf(r).some(({ ask }) => ask) ? scopedToRead(r) : []), // the application is asked before the first batch
    queryOf(r, { whole: true }),
    exportRecords(model, { ...store(r), ...through, ...scoped, ...facetOf(r, readExport), places, warnOnScan }),
  ];
}
