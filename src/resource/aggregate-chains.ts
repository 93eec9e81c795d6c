import { aggregate } from '../middleware/aggregate.ts';
import { caching } from '../middleware/caching.ts';
import { deleted } from '../middleware/deleted.ts';
import type { ResourceMiddleware } from '../middleware/exchange/context.ts';
import { guards } from '../middleware/guards.ts';
import { scope } from '../middleware/scope.ts';
import { searchOf } from './define/check-search.ts';
import type { CompiledResource } from './define/compiled-resource.ts';
import { aggregateName } from './define/whole-list.ts';

/** Makes the chain that answers with numbers about a list, by its name, if the resource has one. */
export function aggregateChains(r: CompiledResource): (readonly [name: string, make: () => readonly ResourceMiddleware[]])[] {
  if (!r.aggregate) return [];
  const { model, db, maxTimeMS, through, aggregate: limits } = r;
  const { maxFilterValues, maxPrefix } = r.filterLimits;
  const asked = r.guardsOf(aggregateName); // those of the list, and its own
  const make = () => [
    ...(asked.length > 0 ? [guards(...asked)] : []),
    caching(r.caching),
    ...(r.isScoped ? [scope(model, r.scope, { writes: r.scopeWrites })] : []),
    ...(r.deletedGuards ? [deleted(model, r.deletedGuards)] : []),
    aggregate(model, { db, maxTimeMS, ...(through && { through }), ...limits, maxFilterValues, maxPrefix, ...searchOf(r) }),
  ];
  return [[aggregateName, make]];
}
