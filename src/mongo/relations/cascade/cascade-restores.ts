import type { Document as BsonDocument } from 'mongodb';
import { isProblem, Problem, validationFailed } from '../../../errors.ts';
import type { CompiledModel } from '../../../model/compile/compile-model.ts';
import { Room } from '../../../model/relations/included.ts';
import { idToJson } from '../../../model/value/number-in-path.ts';
import type { ModelCollection } from '../../collection/collection.ts';
import { idsOnly, partsAt, whole } from '../../collection/find.ts';
import { planRestore, planRewrite } from '../../collection/write-plan.ts';
import { type CascadedRecord, type CascadeObserver, mostHookBytes, type Writer } from '../../collection/writer.ts';
import type { Transact } from '../../driver/run-transaction.ts';
import type { Work } from '../../driver/work.ts';
import { keepsDeleted, markedWith, unmarking } from '../../lifecycle/lifecycle.ts';
import { living, seeing } from '../../lifecycle/within.ts';
import { buildUpdate } from '../../query/update-pipeline.ts';
import type { StoredRecord } from '../../stored-record.ts';
import { anywhere, danglingIn, findMissing, namedInRecords } from '../check/check-references.ts';
import type { Edge, ReferenceEnd, References } from '../references.ts';
import { buildClear } from './clear-references.ts';

type Stored = Readonly<Record<string, unknown>>;

/** Records of one collection that a restore brings back. */
interface Group {
  readonly model: CompiledModel;
  readonly collection: Pick<ModelCollection, 'find' | 'writeMany'>;
  /** The records that hooks may see; undefined if a cascade leads to none of the collection. */
  source: ReferenceEnd | undefined;
  /** The ids and references of the records, by the texts of their ids. */
  readonly records: Map<string, Stored>;
}

/** The most records of one deletion: the addressed records and the cascaded ones. */
const mostOfDeletion = 110_000;

/** Whether a restore of a model's records has to look at other records. */
export function isRestoredWithOthers(model: CompiledModel, references: References): boolean {
  return keepsDeleted(model) && (references.heldBy(model).length > 0 || taking(model, references).length > 0);
}

/**
 * The restore of a model with references that hold. It is one transaction, and brings back what the same delete has
 * taken along by cascades, as far as that has its other parents. 422 if the record itself has lost a parent. References
 * to lost records that a delete would remove are removed.
 */
export function openCascadeRestore(
  model: CompiledModel,
  plain: ModelCollection,
  references: References,
  transact: Transact,
): ModelCollection['write'] {
  return function restore({ target }, work) {
    return transact(work, async (transaction) => {
      const { id, within, precondition } = target;
      const { stored: root, idText } = await plain.findOne(id, within, { fetchPrivate: true, precondition }, work);
      const own: Group = { model, collection: plain, source: undefined, records: new Map([[idText, root]]) };
      const groups = await collect(references, own, root, work);
      const lost = await findLost(references, groups, work);
      keepBack(references, groups, root, lost);
      await refuseLost(references, model, root, lost, target.writer);
      return transaction.join(async () => {
        const before = await readSeen(groups, root, target.writer?.observer, work);
        own.records.delete(idText);
        await bringBack(references, groups, lost, work);
        const record = await plain.write(
          planRestore(model, target, clearing(references, { model, records: new Map([[idText, root]]) }, lost)),
          work,
        );
        await target.writer?.observer?.happened(await readAfter(before, work));
        return record;
      });
    });
  };
}

/** The references by which a delete takes records along that can be restored. */
function taking(model: CompiledModel, references: References): Edge[] {
  return references.incoming(model).filter(({ field, holder }) => field.ref.onDelete === 'cascade' && keepsDeleted(holder.model));
}

/** Collects what the delete of a record has taken along, to any depth, as the cascade did. */
async function collect(references: References, own: Group, root: Stored, work: Work): Promise<Map<string, Group>> {
  const groups = new Map([[own.model.collection, own]]);
  const marked = markedWith(root);
  if (!marked) return groups;
  const steps: { readonly model: CompiledModel; readonly ids: readonly unknown[] }[] = [{ model: own.model, ids: [root._id] }];
  for (let step = steps.shift(); step; step = steps.shift()) {
    for (const { holder, field } of taking(step.model, references)) {
      const { model, collection } = holder;
      const group = groups.get(model.collection) ?? { model, collection, source: holder, records: new Map<string, Stored>() };
      group.source ??= holder;
      groups.set(model.collection, group);
      const within = seeing(model, 'only', marked);
      const found = await collection.find({ path: field.path, among: step.ids, within, limit: mostOfDeletion }, idsOnly, work);
      const added = found.filter((id) => !group.records.has(idToJson(model.id.leaf, id)));
      if (added.length === 0) continue;
      const paths = references.heldBy(model).map(({ field }) => field.path);
      const records = await collection.find({ among: added, within }, partsAt(paths), work);
      for (const record of records) group.records.set(idToJson(model.id.leaf, record._id), record);
      steps.push({ model, ids: records.map(({ _id }) => _id) });
    }
  }
  return groups;
}

/** Finds referenced records that are deleted or missing, apart from those to be restored. The living ones are held. */
async function findLost(references: References, groups: ReadonlyMap<string, Group>, work: Work): Promise<Lost> {
  const lost = new Lost();
  for (const { model, records } of groups.values()) {
    const named = namedInRecords(references.heldBy(model), [...records.values()], { areOne: true, arePlaced: false });
    for (const { edge, ids } of named) for (const key of groups.get(edge.target.model.collection)?.records.keys() ?? []) ids.delete(key);
    const outside = named.filter(({ ids }) => ids.size > 0);
    const missing = await findMissing(outside, new Map(outside.map(({ edge }) => [edge, anywhere])), references.latches, work);
    for (const { edge, ids } of missing) for (const [key, { id }] of ids) lost.add(edge.target.model.collection, key, id);
  }
  return lost;
}

/** Records that do not live, by collection and the texts of their ids. */
class Lost {
  readonly #ids = new Map<string, Map<string, unknown>>();

  add(collection: string, key: string, id: unknown): void {
    const ids = this.#ids.get(collection) ?? new Map<string, unknown>();
    this.#ids.set(collection, ids.set(key, id));
  }

  idsOf({ target }: Edge): readonly unknown[] {
    return [...(this.#ids.get(target.model.collection)?.values() ?? [])];
  }

  /** Whether a record refers to a lost one by one of the references. */
  isNamedBy(stored: Stored, edges: readonly Edge[]): boolean {
    return edges.some(({ field, target }) => {
      const ids = this.#ids.get(target.model.collection);
      let isNamed = false;
      if (ids) field.visit(stored, (id) => (isNamed ||= ids.has(idToJson(field.leaf, id))));
      return isNamed;
    });
  }
}

/** Whether a record cannot live without the one that it refers to. */
function needs({ field }: Edge): boolean {
  return field.ref.onDelete === 'cascade' || field.ref.onDelete === 'restrict';
}

/** Leaves out what has lost another parent, and what has lost its parent by that. It stays deleted. */
function keepBack(references: References, groups: ReadonlyMap<string, Group>, root: Stored, lost: Lost): void {
  for (let isDone = false; !isDone; ) {
    isDone = true;
    for (const { model, records } of groups.values()) {
      const edges = references.heldBy(model).filter(needs);
      for (const [key, record] of records) {
        if (record === root || !lost.isNamedBy(record, edges)) continue;
        records.delete(key);
        lost.add(model.collection, key, record._id);
        isDone = false;
      }
    }
  }
}

/** Throws 422 if the record that is addressed has lost a parent. */
async function refuseLost(
  references: References,
  model: CompiledModel,
  root: Stored,
  lost: Lost,
  writer: Writer | undefined,
): Promise<void> {
  const edges = references.heldBy(model).filter((edge) => needs(edge) && lost.isNamedBy(root, [edge]));
  if (edges.length > 0) throw validationFailed(await danglingIn(edges, model, writer));
}

/** The stages that remove references to lost records where a delete would have removed them. */
function clearing(references: References, { model, records }: Pick<Group, 'model' | 'records'>, lost: Lost): BsonDocument[] {
  const all = [...records.values()];
  const edges = references.heldBy(model).filter((edge) => !needs(edge) && all.some((record) => lost.isNamedBy(record, [edge])));
  return buildClear(edges.map((edge) => ({ edge, ids: lost.idsOf(edge) })));
}

function idsIn(records: Group['records']): unknown[] {
  return Array.from(records.values(), ({ _id }) => _id);
}

/** Reads the deleted records that hooks see, whole, apart from the one that is addressed. */
async function readSeen(
  groups: ReadonlyMap<string, Group>,
  root: Stored,
  observer: CascadeObserver | undefined,
  work: Work,
): Promise<Seen[]> {
  const seen: Seen[] = [];
  const room = new Room(mostHookBytes, tooLargeToRestore);
  for (const { source, collection, records } of groups.values()) {
    if (!source || !observer?.wants(source, 'restored')) continue;
    const ids = idsIn(records).filter((id) => id !== root._id);
    seen.push({
      source,
      collection,
      before: await collection.find({ among: ids, within: seeing(source.model, 'only', undefined) }, whole(room), work),
    });
  }
  return seen;
}

/** Records of one collection that hooks see, as they were before the restore. */
interface Seen extends Pick<Group, 'collection'> {
  readonly source: ReferenceEnd;
  readonly before: readonly StoredRecord[];
}

/** The records that hooks see, before and after the restore. */
async function readAfter(seen: readonly Seen[], work: Work): Promise<CascadedRecord[]> {
  const restored: CascadedRecord[] = [];
  for (const { source, collection, before } of seen) {
    const ids = before.map(({ stored }) => stored._id);
    const after = new Map(
      (await collection.find({ among: ids, within: living(source.model, undefined) }, whole(), work)).map((record) => [
        record.idText,
        record,
      ]),
    );
    for (const one of before) restored.push({ source, change: 'restored', before: one, after: after.get(one.idText) });
  }
  return restored;
}

/** Each record makes one step of its revision, and its history has one entry. */
async function bringBack(references: References, groups: ReadonlyMap<string, Group>, lost: Lost, work: Work): Promise<void> {
  for (const { model, collection, records } of groups.values()) {
    const ids = idsIn(records);
    if (ids.length === 0) continue;
    const pipeline = [...clearing(references, { model, records }, lost), ...buildUpdate(model, unmarking(model), new Date())];
    try {
      await collection.writeMany(planRewrite({ ids, within: seeing(model, 'only', undefined) }, [pipeline]), work);
    } catch (error) {
      throw isProblem(error) && error.code === 'duplicate_key' ? takenByOther(error) : error;
    }
  }
}

/** The fields in it would be those of another record than the one that is addressed. */
function takenByOther(cause: Problem): Problem {
  const detail = 'A record that was deleted with it has values that another record has taken.';
  return new Problem({ code: 'duplicate_key', detail, cause: cause.cause });
}

/** 409. The hooks of the resources of these records get them whole, and all together. */
function tooLargeToRestore(): Problem {
  const detail =
    'The records that were deleted with it have more than 16 MiB: nothing was restored. Restore some of them first, each by itself.';
  return new Problem({ code: 'too_many_references', detail });
}
