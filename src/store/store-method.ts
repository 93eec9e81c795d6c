import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { WritePlan } from '../mongo/collection/write-plan.ts';
import type { Target } from '../mongo/collection/writer.ts';
import type { Limits } from './limits.ts';

/** What a method of a store has of its store. */
export interface StoreParts {
  readonly model: CompiledModel;
  /** Writes one record within the limits of the store, and returns its document. `options` are those of every write. */
  write(id: unknown, options: unknown, plan: (target: Target, limits: Limits) => WritePlan): Promise<unknown>;
}

/** A method that a plug-in adds to stores. It gets what its caller gives, unread. */
export type MethodOfStore = (store: StoreParts, ...given: readonly unknown[]) => Promise<unknown>;
