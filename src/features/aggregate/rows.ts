import { caching } from '../../middleware/caching.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import { facetOf } from '../../resource/define/facet.ts';
import { optionsOfList } from '../../resource/define/list-of.ts';
import { scoped, store, trash } from '../../resource/table/parts.ts';
import { type Chain, type Row, rowOf, type Unguarded } from '../../resource/table/row.ts';
import { aggregate } from './aggregate.ts';
import { aggregateEndpoint, readAggregate } from './options.ts';
import { aggregateName } from './types.ts';

/** The operation that answers with numbers about a list, if the resource has one. */
export function aggregateRows(r: CompiledResource): Row[] {
  if (!facetOf(r, readAggregate)) return [];
  return [
    rowOf(r, {
      ...aggregateEndpoint,
      subject: { kind: 'read' },
      mayBeRecord: true,
      asks: [{ resource: r, names: ['list', aggregateName] }],
      mayNameRelations: true,
      chain: () => chainOf(r),
    }),
  ];
}

function chainOf(r: Unguarded): Chain {
  const { model, path: name, through, maxPageBytes } = r;
  const { maxFilterValues, maxPrefix, maxContainsMatches } = r.filterLimits;
  const limits = { ...facetOf(r, readAggregate), maxPageBytes, maxFilterValues, maxPrefix, maxContainsMatches };
  return [
    caching(r.caching),
    ...scoped(r),
    ...trash(r),
    aggregate(model, { ...store(r), name, ...(through && { through }), ...limits, ...optionsOfList(r) }),
  ];
}
