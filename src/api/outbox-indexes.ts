import type { CompiledModel } from '../model/compile/compile-model.ts';
import { defineModel, type Model } from '../model/define/define-model.ts';
import { t } from '../model/define/t.ts';

/**
 * The models of outboxes, for the plan of their indexes: by the first, due events are found, and dead letters; by the
 * second, the first event of a record that is not delivered, and all of a record that is purged. The third removes what
 * was delivered.
 */
export function outboxModels(models: readonly CompiledModel[]): Model[] {
  const collections = new Set(models.flatMap(({ ledger }) => ledger?.outbox?.collection ?? []));
  return Array.from(collections, modelOf);
}

function modelOf(collection: string): Model {
  const indexes = [
    { key: { state: 1, dueAt: 1, _id: 1 }, partialFilterExpression: { deliveredAt: null } },
    { key: { model: 1, record: 1, life: 1, deliveredAt: 1, revision: 1 } },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ] as const;
  return defineModel('Outbox', { collection, fields: { id: t.string() }, indexes }) as unknown as Model;
}
