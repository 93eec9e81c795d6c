import type { MethodOfStore } from '../store/store-method.ts';
import { counterMethods } from './counters/store.ts';
import { historyMethods } from './history/store.ts';
import { upsertMethods } from './upsert/store.ts';

/** The methods that plug-ins add to stores. */
// biome-ignore format: a line for each plug-in
export const methodsOfPlugins: Readonly<Record<string, MethodOfStore>> = {
  ...counterMethods,
  ...historyMethods,
  ...upsertMethods,
};
