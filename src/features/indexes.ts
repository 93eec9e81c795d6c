import type { IndexSource, Wanted } from '../mongo/indexes/wanted.ts';
import { wantedByNear } from './near/indexes.ts';
import { wantedBySearch } from './search/indexes.ts';

/** The indexes that plug-ins need for a list. */
// biome-ignore format: a line for each plug-in
export const wantedByPlugins: readonly ((source: IndexSource) => Wanted[])[] = [
  wantedBySearch,
  wantedByNear,
];
