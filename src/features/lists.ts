import type { ListPlugin } from '../mongo/list/list-plugin.ts';
import { nearList } from './near/list.ts';

/** What plug-ins add to lists. */
// biome-ignore format: a line for each plug-in
export const listPlugins: readonly ListPlugin[] = [
  nearList,
];
