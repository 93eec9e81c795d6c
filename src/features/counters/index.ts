import { anArrayOf } from '../../options.ts';
import type { ResourcePlugin } from '../../resource/table/plugin.ts';
import { compileCounters } from './operations.ts';
import { counterRows } from './rows.ts';

/** The counters of records: fields that clients step, each by an operation of its own. */
export const counters: ResourcePlugin = {
  legal: { counters: anArrayOf("counters, such as ['stock']", (name) => typeof name === 'string') },
  operations: compileCounters,
  rows: counterRows,
};
