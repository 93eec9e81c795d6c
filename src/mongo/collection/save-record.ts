import { isProblem, Problem } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { absent } from '../../model/node.ts';
import { asSent } from '../../model/value/copy-value.ts';
import type { Assignment, Changes } from '../../model/write/plan-changes.ts';
import type { SavePlan } from '../../model/write/plan-save.ts';
import type { Work } from '../driver/work.ts';
import type { Within } from '../lifecycle/within.ts';
import type { Filter } from '../predicate/predicate.ts';
import { revisionOf } from '../query/precondition.ts';
import { isObjectAt } from '../query/update-pipeline.ts';
import type { StoredRecord } from '../stored-record.ts';
import type { ModelCollection } from './collection.ts';
import { planUpdate } from './write-plan.ts';
import type { Writer } from './writer.ts';

/** A loaded record, and the plan for the changes of its handler. */
export interface SaveTarget {
  readonly within: Within;
  readonly loaded: StoredRecord;
  readonly plan: SavePlan;
  /** @default the application itself */
  readonly writer?: Writer | undefined;
}

/**
 * Writes the changes of a handler to a loaded record, in one atomic command that increments the revision once. The
 * command applies only if no other write has come between: its filter has the loaded revision, or the old values of the
 * changed paths if the model has no revision. The filter also has the scope. Throws 404, 409 or 412. Without changes it
 * sends no command.
 */
export async function saveRecord(
  collection: ModelCollection,
  model: CompiledModel,
  { within, loaded, plan, writer }: SaveTarget,
  work: Work,
): Promise<StoredRecord> {
  if (plan.assignments.length === 0) return loaded;
  const id = loaded.stored._id;
  const changes: Changes = { assignments: plan.assignments, embedded: [] };
  const tag = revisionOf(model, loaded.stored);
  if (tag !== undefined)
    return collection.write(planUpdate(model, { id, within, precondition: { ifMatch: [{ weak: false, tag }] }, writer }, changes), work);
  try {
    const target = { id, within: within.and(isUnchanged(plan)), precondition: undefined, writer };
    return await collection.write(planUpdate(model, target, changes), work);
  } catch (error) {
    if (!isProblem(error) || error.code !== 'not_found') throw error;
    await collection.findOne(id, within, { latest: true }, work); // throws 404 if the record no longer exists
    throw new Problem({ code: 'precondition_failed', detail: 'Another request has changed the record meanwhile; try again.' });
  }
}

/**
 * A filter for the old values of the plan. It is an expression, which compares exactly: a plain filter for null also
 * matches a missing key, and one for a value also matches an array that has it.
 */
function isUnchanged({ before, within }: SavePlan): Filter {
  const same = before.map(({ path, value }: Assignment) =>
    value === absent ? { $eq: [{ $type: `$${path}` }, 'missing'] } : { $eq: [`$${path}`, { $literal: asSent(value) }] },
  );
  return { $expr: { $and: [...same, ...within.map(isObjectAt)] } };
}
