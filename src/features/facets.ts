import type { MakeFacet } from '../resource/define/facet.ts';
import { linkArrays } from './links/facet.ts';

/** What plug-ins make of a resource and the others to which its relations lead. */
// biome-ignore format: a line for each plug-in
export const facets: readonly MakeFacet[] = [
  linkArrays,
];
