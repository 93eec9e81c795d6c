import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { type DatabaseOptions, type ModelCollection, openCollection } from '../collection/collection.ts';
import { recordedWrites } from '../collection/operations.ts';
import { type References, unknownHere } from './references.ts';

/**
 * The records of a model with checked references of which nothing is known here: they can be read, and each write is
 * refused, because what it refers to, or what refers to it, would not be checked.
 */
export function openUnchecked(model: CompiledModel, options: DatabaseOptions): ModelCollection {
  async function refuse(): Promise<never> {
    throw unknownHere(model);
  }
  return { ...openCollection(model, options), ...Object.fromEntries(recordedWrites.map((name) => [name, refuse])) };
}

/** Whether the references of a model can be checked. */
export function canCheck(model: CompiledModel, references: References | undefined): boolean {
  return model.references.length === 0 || references?.knows(model) === true;
}
