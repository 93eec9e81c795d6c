import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { SelectedFields } from '../../model/read/select-fields.ts';
import { lifeKey } from '../../model/value/own-keys.ts';
import { aWholeNumber, checkOptions, type LegalOptions, orUndefined } from '../../options.ts';
import { legalDeleted } from '../../store/legal-options.ts';
import type { MethodOfStore } from '../../store/store-method.ts';
import type { HistoryOptions } from './types.ts';

const legal: LegalOptions<HistoryOptions> = { limit: orUndefined(aWholeNumber(0, undefined, ' of changes')), ...legalDeleted };

/** The method of stores that reads the changes of a record, the last one first. */
export const historyMethods = {
  async *history(
    { model, database, read, workOfPage },
    id: unknown,
    options: HistoryOptions = {},
  ): AsyncGenerator<object, void, undefined> {
    checkOptions(options, legal, '`history`');
    const { limit = Number.POSITIVE_INFINITY } = options;
    const { record, scope } = await read(id, options, lifeOnly(model));
    const { openEntries, readDocuments } = await import('./mongo/history.ts');
    const { db, maxTimeMS } = database;
    const entries = openEntries(model, { db, ...(maxTimeMS !== undefined && { maxTimeMS }) });
    yield* readDocuments(model, record, { scope, limit }, entries, workOfPage);
  },
} satisfies Record<string, MethodOfStore>;

/** What is read of a record to find its changes. Throws a plain Error for a model without a history. */
function lifeOnly({ name, ledger, selector }: CompiledModel): { readonly fields: SelectedFields } {
  if (!ledger?.history) throw new Error(`\`history()\` of a store needs \`history\` of ${name}: nothing is kept of its changes.`);
  const chosen = selector.select([]);
  return { fields: { ...chosen, paths: [...chosen.paths, lifeKey] } };
}
