import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { PlainOperations } from '../collection/operations.ts';
import type { Work } from '../driver/work.ts';
import type { IdempotencyKeys } from '../idempotency-keys.ts';
import { type DeliveryCollections, eraseDeliveriesWith } from '../ledger/erase-deliveries.ts';

/** What an api keeps of records, beside their histories and events. */
export interface Kept {
  /** The answers that show them are emptied. */
  readonly answers: IdempotencyKeys | undefined;
  /** What is delivered of their events is erased. */
  readonly deliveries: DeliveryCollections | undefined;
}

/** Removes records for good, with all that is kept of them. */
export async function purgeWhole(
  model: CompiledModel,
  records: Pick<PlainOperations, 'purgeAll'>,
  ids: readonly unknown[],
  { answers, deliveries }: Kept,
  work: Work,
): Promise<void> {
  async function purge() {
    await records.purgeAll(ids, undefined, work);
    return { found: ids };
  }
  const forget = () => answers?.forgetWith(model.collection, work, purge, ({ found }) => found) ?? purge();
  await (deliveries && model.ledger?.outbox ? eraseDeliveriesWith(deliveries, model, work, forget) : forget());
}
