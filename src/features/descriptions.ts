import type { DescribedReads } from '../openapi/operations/describe-plugin.ts';
import { aggregatesDescribed } from './aggregate/description.ts';
import { exportsDescribed } from './export/description.ts';
import { historiesDescribed } from './history/description.ts';
import { eventsDescribed } from './live/description.ts';

/** How OpenAPI describes the reads of plug-ins. */
// biome-ignore format: a line for each plug-in
export const descriptions: readonly DescribedReads[] = [
  aggregatesDescribed,
  exportsDescribed,
  historiesDescribed,
  eventsDescribed,
];
