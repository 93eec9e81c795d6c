import type { OfBatches } from './batch/api-types.ts';
import type { Delivers } from './delivery/api-types.ts';

/** The options that plug-ins add to apis. */
// biome-ignore format: a line for each plug-in
export type OptionsOfApis = object
  & OfBatches
;

/** The methods that plug-ins add to apis. */
// biome-ignore format: a line for each plug-in
export type MethodsOfApis = object
  & Delivers
;
