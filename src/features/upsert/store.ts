import type { MethodOfStore } from '../../store/store-method.ts';
import { planUpsert } from './plan-upsert.ts';

/** The method of stores that creates a record or replaces it. */
export const upsertMethods = {
  async upsert({ model, writeNew }, id, document) {
    const { record, isNew } = await writeNew(id, document, (target, stored) => planUpsert(model, target, stored));
    return { record, created: isNew };
  },
} satisfies Record<string, MethodOfStore>;
