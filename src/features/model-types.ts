import type { OfTexts } from './search/types.ts';

/** The options that plug-ins add to models. `Name` is that of a field. */
// biome-ignore format: a line for each plug-in
export type OptionsOfModels<Name extends string> = object
  & OfTexts<Name>
;
