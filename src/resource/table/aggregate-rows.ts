import { aggregate } from '../../middleware/aggregate.ts';
import { caching } from '../../middleware/caching.ts';
import { searchOf } from '../define/check-search.ts';
import type { CompiledResource } from '../define/compiled-resource.ts';
import { aggregateEndpoint, aggregateName } from '../define/whole-list.ts';
import { guard, rows, store, trash } from './parts.ts';
import { type Chain, type Row, rowOf } from './row.ts';

/** The operation that answers with numbers about a list, if the resource has one. */
export function aggregateRows(r: CompiledResource): Row[] {
  if (!r.aggregate) return [];
  const asked = ['list', aggregateName];
  return [
    rowOf(r, {
      ...aggregateEndpoint,
      name: aggregateName,
      subject: { kind: 'aggregate' },
      sharesPath: true,
      asks: [{ resource: r, names: asked }],
      takesRelations: true,
      chain: () => chainOf(r, asked),
    }),
  ];
}

function chainOf(r: CompiledResource, asked: readonly string[]): Chain {
  const { model, through, aggregate: limits } = r;
  const { maxFilterValues, maxPrefix } = r.filterLimits;
  return [
    ...guard(r, asked),
    caching(r.caching),
    ...rows(r),
    ...trash(r),
    aggregate(model, { ...store(r), ...(through && { through }), ...limits, maxFilterValues, maxPrefix, ...searchOf(r) }),
  ];
}
