import { checkedLater } from '../../options.ts';
import type { ResourcePlugin } from '../../resource/table/plugin.ts';
import { aggregateEndpoint, hasAggregate, readAggregate } from './options.ts';
import { aggregateRows } from './rows.ts';
import { aggregateName } from './types.ts';

/** Numbers about a list. */
export const aggregating: ResourcePlugin = {
  legal: { aggregate: checkedLater },
  compile: readAggregate,
  reads: (parts) => (hasAggregate(parts) ? [aggregateName] : []),
  endpoints: (parts) => (hasAggregate(parts) ? [aggregateEndpoint] : []),
  rows: aggregateRows,
};
