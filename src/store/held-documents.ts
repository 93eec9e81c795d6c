import { once } from '../mistakes.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import { copyValue } from '../model/value/copy-value.ts';
import { bringUpToDate } from '../model/write/bring-up-to-date.ts';
import { compilePlanSave } from '../model/write/plan-save.ts';
import type { ModelCollection } from '../mongo/collection/collection.ts';
import { saveRecord } from '../mongo/collection/save-record.ts';
import type { Writer } from '../mongo/collection/writer.ts';
import type { Work } from '../mongo/driver/work.ts';
import type { Within } from '../mongo/lifecycle/within.ts';
import { requireChangesWithin } from '../mongo/query/require-within.ts';
import type { StoredRecord } from '../mongo/stored-record.ts';

/** A document to save. */
interface Saving {
  readonly document: object;
  /** The record that the document was made of. */
  readonly before: StoredRecord;
  readonly within: Within;
  /** @default the application itself */
  readonly writer?: Writer | undefined;
  /** Called with the record that the document represents from now on. */
  hold(document: object, record: StoredRecord): void;
}

/** Writes what was changed in a document, brings the document up to date in place, and returns the record. */
export type SaveDocument = (saving: Saving, work: Work) => Promise<StoredRecord>;

/**
 * Compiles how a document is saved. If the transaction that it is saved in is not committed, the document gets back the
 * values that it was saved with, and represents the record as it was before.
 */
export function compileSaveDocument(model: CompiledModel, collection: ModelCollection): SaveDocument {
  const planSave = once(() => compilePlanSave(model)); // most stores save nothing
  return async function saveDocument({ document, before, within, hold, writer }, work) {
    const plan = planSave()(document, before.stored);
    requireChangesWithin(writer, { assignments: plan.assignments, embedded: [] });
    const sent = copyValue(document) as object;
    const saved = await saveRecord(collection, model, { within, loaded: before, plan, writer }, work);
    bringUpToDate(document, sent, model.hydrate(saved.stored));
    hold(document, saved);
    work.transaction?.onRollback(() => {
      bringUpToDate(document, copyValue(document), sent);
      hold(document, before);
    });
    return saved;
  };
}
