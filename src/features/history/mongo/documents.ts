import type { CompiledModel } from '../../../model/compile/compile-model.ts';
import { fieldsOfHistory } from '../../../model/compile/history-fields.ts';
import { compileItemHydrate } from '../../../model/read/hydrate.ts';
import { readableMembers } from '../../../model/read/members.ts';
import { readableNode } from '../../../model/read/private-fields.ts';
import { Turn } from '../../../mongo/driver/turn.ts';
import type { Work } from '../../../mongo/driver/work.ts';
import type { Entry, EntryChange } from '../../../mongo/ledger/entry.ts';
import { type ChangeSide, isKept } from '../../../mongo/ledger/kept-values.ts';
import { both } from '../../../mongo/predicate/filter-of.ts';
import type { Predicate } from '../../../mongo/predicate/predicate.ts';
import type { StoredRecord } from '../../../mongo/stored-record.ts';
import { decodeEntry, entriesOf, projectChanges, type ReadEntries } from './entries.ts';
import { bothWithin } from './entry-scope.ts';

/** The most entries that one command reads. */
const atOnce = 500;

/**
 * Reads the changes of a record in document form, the last one first: those of which both states were within a scope.
 * `work` is called before each command, and told whether it is the first.
 */
export async function* readDocuments(
  model: CompiledModel,
  record: StoredRecord,
  { scope, limit }: { readonly scope: Predicate | undefined; readonly limit: number },
  entries: ReadEntries,
  work: (isFirst: boolean) => Work,
): AsyncGenerator<object, void, undefined> {
  const toDocument = compileDocument(model);
  const own = both(entriesOf(record), bothWithin(model, scope));
  const projection = { ...projectChanges(fieldsOfHistory(model).keys()), private: 1 };
  const turn = new Turn();
  let last: Entry | undefined;
  for (let left = limit; left > 0; ) {
    const size = Math.min(left, atOnce);
    const rest = last ? { $and: [own, { revision: { $lt: last.revision } }] } : own;
    const { found, isCut } = await entries.read(rest, -1, size, projection, work(last === undefined));
    for (const bytes of found) {
      last = decodeEntry(bytes);
      yield toDocument(last);
      await turn.pass();
    }
    left -= found.length;
    if (!isCut && found.length < size) return;
  }
}

function compileDocument(model: CompiledModel): (entry: Entry) => object {
  const fields = new Map(
    [...fieldsOfHistory(model)].map(([path, field]) => [
      path,
      {
        read: compileItemHydrate({ ...field, node: readableNode(field.node) }, (misfit) => misfit),
        members: readableMembers(field.node),
      },
    ]),
  );
  function changeOf(change: EntryChange): object[] {
    const { path, beforeErased, afterErased } = change;
    const field = fields.get(path);
    if (!field) return [];
    const valueAt = (side: ChangeSide) => {
      if (!isKept(change, side, field.members)) return { [`${side}Digest`]: change[`${side}Digest`] };
      return change[side] !== undefined && { [side]: field.read(change[side]) };
    };
    const erased = { ...(beforeErased && { beforeErased }), ...(afterErased && { afterErased }) };
    return [{ path, ...valueAt('before'), ...valueAt('after'), ...erased }];
  }
  return ({ revision, at, change, operation, actor, request, changes, private: hidden }) => ({
    revision,
    at,
    change,
    ...(operation !== undefined && { operation }),
    actor,
    ...(request !== undefined && { requestId: request }),
    changes: changes.flatMap(changeOf),
    private: hidden,
  });
}
