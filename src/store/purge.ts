import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { ModelCollection } from '../mongo/collection/collection.ts';
import type { Work } from '../mongo/driver/work.ts';
import type { IdempotencyKeys } from '../mongo/idempotency-keys.ts';
import type { DeliveryCollections } from '../mongo/ledger/erase-deliveries.ts';
import type { Filter } from '../mongo/query/filter.ts';
import { aWholeNumber, checkOptions, type LegalOptions, orUndefined, required } from '../options.ts';
import type { PurgeOptions } from './store.ts';

const legal: LegalOptions<PurgeOptions> = {
  olderThan: required([isTime, 'a number of milliseconds from 0 on, or a date']),
  max: orUndefined(aWholeNumber(1, undefined, ' of records')),
};

/** The most records that one command removes. */
const batchSize = 1_000;

/** Where records are removed for good. */
interface Purging {
  readonly model: CompiledModel;
  readonly collection: Pick<ModelCollection, 'purge'>;
  /** The answers that show them are emptied. */
  readonly answers: IdempotencyKeys | undefined;
  /** What is delivered of their events is erased. */
  readonly deliveries: DeliveryCollections | undefined;
}

/** Removes what has been deleted for some time, batch by batch: the oldest first, and at most `max` records. */
export async function purge(
  { model, collection, answers, deliveries }: Purging,
  scope: Filter | undefined,
  options: PurgeOptions,
  work: () => Work,
): Promise<number> {
  checkOptions(options, legal, '`purge`');
  const { olderThan, max = 10_000 } = options;
  const until = olderThan instanceof Date ? olderThan : new Date(Math.max(Date.now() - olderThan, -8.64e15));
  const eraseWith = await loadErasing(model, deliveries);
  let count = 0;
  while (count < max) {
    const size = Math.min(max - count, batchSize);
    const own = work();
    const purgeSome = () => collection.purge(until, scope, size, own);
    const forgetSome = () => answers?.forgetWith(model.collection, own, purgeSome, (batch) => batch.found) ?? purgeSome();
    const { found, purged } = await (eraseWith?.(own, forgetSome) ?? forgetSome());
    count += purged;
    if (found.length < size) break;
  }
  return count;
}

/** Loads what erases the deliveries about the records of a model. Undefined if nothing delivers their events. */
async function loadErasing(model: CompiledModel, deliveries: DeliveryCollections | undefined) {
  if (!deliveries || !model.ledger?.outbox) return undefined;
  const { eraseDeliveriesWith } = await import('../mongo/ledger/erase-deliveries.ts');
  return <T extends { readonly found: readonly unknown[] }>(work: Work, run: () => Promise<T>) =>
    eraseDeliveriesWith(deliveries, model, work, run);
}

/** Throws a plain Error for a model whose records are removed by a delete. */
export function requireDeletedAt({ name, deletedAt }: CompiledModel, what: string): void {
  if (!deletedAt) throw new Error(`${what} of a store needs a model with \`t.deletedAt()\`: a delete removes the records of ${name}.`);
}

function isTime(value: unknown): boolean {
  if (value instanceof Date) return !Number.isNaN(value.getTime());
  return typeof value === 'number' && value >= 0 && Number.isFinite(value);
}
