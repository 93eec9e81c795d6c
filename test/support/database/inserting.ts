import type { CompiledModel } from '../../../src/model/compile/compile-model.ts';
import type { ModelCollection } from '../../../src/mongo/collection/collection.ts';
import { planInsert } from '../../../src/mongo/collection/write-plan.ts';
import type { Work } from '../../../src/mongo/driver/work.ts';
import { seeing } from '../../../src/mongo/lifecycle/within.ts';

/** A collection, with a method that inserts a record by itself. */
export function inserting(model: CompiledModel, collection: ModelCollection) {
  const within = seeing(model, 'with', undefined);
  return {
    ...collection,
    insert(stored: Record<string, unknown>, work: Work, { ifIdIsFree = false } = {}) {
      return collection.write(planInsert(stored, within, undefined, ifIdIsFree ? { ifNoneMatch: '*' } : undefined), work);
    },
  };
}
