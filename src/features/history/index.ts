import { trueOrFalse } from '../../options.ts';
import type { ResourcePlugin } from '../../resource/table/plugin.ts';
import { hasHistory, historyEndpoint } from './options.ts';
import { historyRows } from './rows.ts';
import { historyName } from './types.ts';

/** What the records of a resource were: the list of their changes, and each at an earlier revision. */
export const histories: ResourcePlugin = {
  legal: { history: trueOrFalse },
  compile: hasHistory,
  reads: ({ given }) => (given(historyName).history ? [historyName] : []),
  endpoints: ({ given }) => (given(historyName).history ? [historyEndpoint] : []),
  rows: historyRows,
};
