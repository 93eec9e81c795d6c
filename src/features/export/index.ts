import { checkedLater } from '../../options.ts';
import type { ResourcePlugin } from '../../resource/table/plugin.ts';
import { readExport } from './options.ts';
import { exportRows } from './rows.ts';
import { exportName } from './types.ts';

/** Lists that are answered whole, as a stream. */
export const exporting: ResourcePlugin = {
  legal: { export: checkedLater },
  compile: readExport,
  reads: ({ given }) => (given(exportName).export === undefined ? [] : [exportName]),
  rows: exportRows,
};
