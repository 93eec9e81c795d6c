import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { SelectedFields } from '../model/read/select-fields.ts';
import { lifeKey } from '../model/value/own-keys.ts';
import type { DatabaseOptions } from '../mongo/collection/collection.ts';
import type { Work } from '../mongo/driver/work.ts';
import type { Predicate } from '../mongo/predicate/predicate.ts';
import type { StoredRecord } from '../mongo/stored-record.ts';
import type { HistoryOptions } from './store.ts';

/** What is read of a record to find its changes. Throws a plain Error for a model without a history. */
export function lifeOnly({ name, ledger, selector }: CompiledModel): { readonly fields: SelectedFields } {
  if (!ledger?.history) throw new Error(`\`history()\` of a store needs \`history\` of ${name}: nothing is kept of its changes.`);
  const chosen = selector.select([]);
  return { fields: { ...chosen, paths: [...chosen.paths, lifeKey] } };
}

/** Reads the changes of a record, the last one first. */
export async function* readHistory(
  model: CompiledModel,
  { record, scope }: { readonly record: StoredRecord; readonly scope: Predicate | undefined },
  { limit = Number.POSITIVE_INFINITY }: HistoryOptions,
  { db, maxTimeMS }: DatabaseOptions,
  work: (isFirst: boolean) => Work,
): AsyncGenerator<object, void, undefined> {
  const { openEntries, readDocuments } = await import('../mongo/history/history.ts');
  const entries = openEntries(model, { db, ...(maxTimeMS !== undefined && { maxTimeMS }) });
  yield* readDocuments(model, record, { scope, limit }, entries, work);
}
