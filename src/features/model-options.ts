import { searchOption } from './search/types.ts';

/** The names of the options that plug-ins add to models. */
// biome-ignore format: a line for each plug-in
export const optionsOfModels = [
  searchOption,
] as const;
