import { aggregate } from '../../middleware/aggregate.ts';
import { caching } from '../../middleware/caching.ts';
import { searchOf } from '../define/check-search.ts';
import type { CompiledResource } from '../define/compiled-resource.ts';
import { aggregateEndpoint, aggregateName } from '../define/whole-list.ts';
import { scoped, store, trash } from './parts.ts';
import { type Chain, type Row, rowOf, type Unguarded } from './row.ts';

/** The operation that answers with numbers about a list, if the resource has one. */
export function aggregateRows(r: CompiledResource): Row[] {
  if (!r.aggregate) return [];
  return [
    rowOf(r, {
      ...aggregateEndpoint,
      name: aggregateName,
      subject: { kind: 'aggregate' },
      mayBeRecord: true,
      asks: [{ resource: r, names: ['list', aggregateName] }],
      mayNameRelations: true,
      chain: () => chainOf(r),
    }),
  ];
}

function chainOf(r: Unguarded): Chain {
  const { model, through, aggregate: limits, maxPageBytes } = r;
  const { maxFilterValues, maxPrefix } = r.filterLimits;
  return [
    caching(r.caching),
    ...scoped(r),
    ...trash(r),
    aggregate(model, { ...store(r), ...(through && { through }), ...limits, maxPageBytes, maxFilterValues, maxPrefix, ...searchOf(r) }),
  ];
}
