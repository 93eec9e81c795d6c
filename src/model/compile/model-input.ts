import type { Model } from '../define/define-model.ts';
import { type CompiledModel, compileModel } from './compile-model.ts';

/** A model, or one that was compiled already: what a middleware takes, so that a resource compiles its model once. */
export type ModelInput = Model | CompiledModel;

/** The compiled form of either. */
export function asCompiled(model: ModelInput): CompiledModel {
  return typeof model === 'object' && 'root' in model ? model : compileModel(model); // what is no model at all is refused there
}
