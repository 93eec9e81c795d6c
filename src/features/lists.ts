import type { ListPlugin } from '../middleware/exchange/list-plugin.ts';
import { nearList } from './near/list.ts';
import { searchList } from './search/list.ts';

/** What plug-ins add to lists. Of two that find the records of one list, a request may ask the later one. */
// biome-ignore format: a line for each plug-in
export const listPlugins: readonly ListPlugin[] = [
  searchList,
  nearList,
];
