import { type Db, ObjectId } from 'mongodb';
import { notFound } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Model } from '../../model/define/define-model.ts';
import { idToJson } from '../../model/value/number-in-path.ts';
import { openCollection } from '../collection/collection.ts';
import { idsOnly } from '../collection/find.ts';
import { planRemove } from '../collection/write-plan.ts';
import type { Target, Writer } from '../collection/writer.ts';
import { compileTransact } from '../driver/run-transaction.ts';
import type { Work } from '../driver/work.ts';
import type { Keeps } from '../keeps/keep.ts';
import { actorOf } from '../ledger/actor.ts';
import { newDeletion } from '../lifecycle/lifecycle.ts';
import { stillReferenced } from '../relations/cascade/cascade-deletes.ts';
import { type CascadePlan, findRestricting, planCascade } from '../relations/cascade/plan-cascade.ts';
import type { Edge, References } from '../relations/references.ts';
import { spellId } from '../stored-record.ts';
import type { Removal } from './define-removals.ts';
import { edgesTo } from './edges.ts';
import { purgeRecords } from './purge-records.ts';
import { firstStep, lastStep, openRemovalRows, type RemovalRow } from './removal-rows.ts';

/** What removals need of an api. */
export interface RemovalSettings {
  readonly db: Db;
  readonly maxTimeMS: number;
  /** What `defineRemovals` has returned. */
  readonly model: Model;
  readonly references: References | undefined;
  /** What is kept of the records of its models beside them. */
  readonly keeps: Keeps;
}

/** Begins deletes that workers carry out. */
export interface Removals {
  /**
   * Removes a record, and leaves what follows from it to workers, in one transaction. Throws 404, 412 or 409
   * `still_referenced`.
   */
  begin(kind: RemovalRow['kind'], model: CompiledModel, target: Target, work: Work): Promise<Removal>;
}

/** Opens the removals of an api. */
export function openRemovals(settings: RemovalSettings): Removals {
  const { db, maxTimeMS, model: removals, references, keeps } = settings;
  const rows = openRemovalRows(db, removals, maxTimeMS);

  async function removeFirst(row: RemovalRow, model: CompiledModel, target: Target, work: Work): Promise<unknown> {
    const collection = openCollection(model, { db, maxTimeMS });
    if (row.kind === 'remove') return (await collection.write(planRemove(model, target, row.deletion), work)).stored._id;
    const [found] = await collection.find({ among: [target.id], within: target.within.seeing('with') }, idsOnly, work);
    if (found === undefined) throw notFound();
    await purgeRecords({ model, collection, keeps }, [found], row, work);
    return found;
  }

  /**
   * Throws 409 if something forbids the delete. As far as `maxCascade` reaches, records that would go themselves forbid
   * nothing; of a larger delete, any that refers to the first record forbids it.
   */
  async function refuseRestricted(model: CompiledModel, id: unknown, writer: Writer | undefined, work: Work): Promise<void> {
    if (!references) return;
    const whole = await planCascade(references, model, [id], work, () => false);
    const plan = whole.exceeded ? await planFirst(references, model, id, work) : whole;
    if (plan.restricting.length > 0) throw await stillReferenced(plan, writer, work);
  }

  return {
    begin(kind, model, target, work) {
      return compileTransact(db, model.maxTimeMS ?? maxTimeMS)(work, async (transaction) => {
        const { caller } = work;
        const row: RemovalRow = {
          _id: new ObjectId(),
          kind,
          model: model.name,
          record: spellId(model, target.id),
          status: 'running',
          actor: await actorOf(caller, model.ledger?.by),
          ...(caller?.operation && { operation: caller.operation.name }),
          ...(caller?.requestId !== undefined && { request: caller.requestId }),
          removed: 1,
          changed: 0,
          startedAt: new Date(),
          deletion: newDeletion(),
          state: 'pending',
        };
        const id = await removeFirst(row, model, target, work);
        return transaction.join(async () => {
          await refuseRestricted(model, id, target.writer, work);
          const { collection } = model;
          await rows.insert(row, work);
          await rows.count(row, row, work);
          if (references?.incoming(model).length) {
            await references.latches.claim([{ collection, id }], work);
            await rows.add(firstStep({ removal: row._id, collection, ids: [id] }), work);
          } else if (kind === 'purge' && keeps.areMentioned(collection))
            await rows.add(lastStep({ removal: row._id, collection, ids: [id] }), work);
          return removalOf(row);
        });
      });
    },
  };
}

function removalOf({ _id, kind, model, record, status, actor, removed, changed, startedAt }: RemovalRow): Removal {
  return { id: _id, kind, model, record, status, actor, removed, changed, startedAt };
}

/** What forbids to delete a record, apart from all that would go with it. */
async function planFirst(
  references: References,
  model: CompiledModel,
  id: unknown,
  work: Work,
): Promise<Pick<CascadePlan, 'gone' | 'restricting'>> {
  const gone: CascadePlan['gone'] = new Map([[model.collection, new Map([[idToJson(model.id.leaf, id), id]])]]);
  const restricting: Edge[] = [];
  for (const edge of edgesTo(references, model.collection, 'restrict'))
    if ((await findRestricting(edge, { gone }, { scope: undefined, most: 1 }, work)).size > 0) restricting.push(edge);
  return { gone, restricting };
}
