import type { ModelPart } from '../model/compile/model-part.ts';
import { searchOfModel } from './search/model.ts';

/** What plug-ins make of their options of models. */
// biome-ignore format: a line for each plug-in
export const modelParts: readonly ModelPart[] = [
  searchOfModel as ModelPart,
];
