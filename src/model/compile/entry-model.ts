import { defineModel } from '../define/define-model.ts';
import { t } from '../define/t.ts';
import { spellReferences } from '../relations/held-references.ts';
import type { CompiledHistory } from './compile-ledger.ts';
import { type CompiledModel, compileModel } from './compile-model.ts';

const models = new WeakMap<CompiledHistory, CompiledModel>();

/** The entries of the history of a model, as the records of a model of their own. Undefined if it has no history. */
export function entryModel({ name, ledger, maxTimeMS, whole }: CompiledModel): CompiledModel | undefined {
  const history = ledger?.history;
  if (!history) return undefined;
  const known = models.get(history) ?? compileEntries(name, history, maxTimeMS, spellReferences(whole.root).length > 0);
  models.set(history, known);
  return known;
}

/** Nothing reads the fields: they are what the indexes are about. */
function compileEntries(
  name: string,
  { collection, keepSeconds }: CompiledHistory,
  maxTimeMS: number | undefined,
  hasReferences: boolean,
): CompiledModel {
  const ofRecord = { key: { record: 1, life: 1, revision: -1 } } as const;
  const ofTime = keepSeconds === undefined ? [] : [{ key: { at: 1 }, expireAfterSeconds: keepSeconds } as const];
  const ofReferences = hasReferences ? [{ key: { 'refers.by': 1, 'refers.to': 1 } } as const] : []; // for purges
  const indexes = [ofRecord, ...ofTime, ...ofReferences];
  const fields = { revision: t.int64(), at: t.date() };
  return compileModel(defineModel(`${name}History`, { collection, fields, indexes, ...(maxTimeMS && { maxTimeMS }) }));
}
