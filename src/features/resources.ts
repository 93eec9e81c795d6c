import type { ResourcePlugin } from '../resource/table/plugin.ts';
import { aggregating } from './aggregate/index.ts';
import { counters } from './counters/index.ts';
import { exporting } from './export/index.ts';
import { histories } from './history/index.ts';
import { links } from './links/index.ts';
import { liveStates } from './live/index.ts';
import { searches } from './search/index.ts';

/** What plug-ins add to resources. */
// biome-ignore format: a line for each plug-in
export const resourcePlugins: readonly ResourcePlugin[] = [
  aggregating,
  counters,
  links,
  exporting,
  histories,
  liveStates,
  searches,
];
