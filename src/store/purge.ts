import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { ModelCollection } from '../mongo/collection/collection.ts';
import type { Work } from '../mongo/driver/work.ts';
import type { IdempotencyKeys } from '../mongo/idempotency-keys.ts';
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
}

/** Removes what has been deleted for some time, batch by batch: the oldest first, and at most `max` records. */
export async function purge(
  { model, collection, answers }: Purging,
  scope: Filter | undefined,
  options: PurgeOptions,
  work: () => Work,
): Promise<number> {
  checkOptions(options, legal, '`purge`');
  const { olderThan, max = 10_000 } = options;
  const until = olderThan instanceof Date ? olderThan : new Date(Math.max(Date.now() - olderThan, -8.64e15));
  let count = 0;
  while (count < max) {
    const size = Math.min(max - count, batchSize);
    const own = work();
    const purgeSome = () => collection.purge(until, scope, size, own);
    const { found, purged } = await (answers?.forgetWith(model.collection, own, purgeSome, (batch) => batch.found) ?? purgeSome());
    count += purged;
    if (found.length < size) break;
  }
  return count;
}

/** Throws a plain Error for a model whose records are removed by a delete. */
export function requireDeletedAt({ name, deletedAt }: CompiledModel, what: string): void {
  if (!deletedAt) throw new Error(`${what} of a store needs a model with \`t.deletedAt()\`: a delete removes the records of ${name}.`);
}

function isTime(value: unknown): boolean {
  if (value instanceof Date) return !Number.isNaN(value.getTime());
  return typeof value === 'number' && value >= 0 && Number.isFinite(value);
}
