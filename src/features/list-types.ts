import type { OfSearch, SearchLimits } from './search/list-types.ts';

/** The options that plug-ins add to lists: of a resource, and of the middlewares that read a list. */
// biome-ignore format: a line for each plug-in
export type OptionsOfLists<Ctx = never, Id = unknown> = object
  & OfSearch<Ctx, Id>
;

/** The limits of plug-ins for the lists of an api. */
// biome-ignore format: a line for each plug-in
export type LimitsOfLists = object
  & SearchLimits
;
