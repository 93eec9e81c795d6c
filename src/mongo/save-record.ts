import { Problem } from '../errors.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import { absent } from '../model/node.ts';
import { asSent } from '../model/value/copy-value.ts';
import type { Assignment, Changes } from '../model/write/plan-changes.ts';
import type { SavePlan } from '../model/write/plan-save.ts';
import type { Work } from './driver/work.ts';
import { both, type Filter } from './query/filter.ts';
import { revisionOf } from './query/precondition.ts';
import { isObjectAt } from './query/update-pipeline.ts';
import type { Store } from './store.ts';
import type { StoredRecord } from './stored-record.ts';

/** A record that was loaded, and what its handler changed. */
export interface SaveTarget {
  readonly scope: Filter | undefined;
  readonly loaded: StoredRecord;
  readonly plan: SavePlan;
}

/**
 * Writes what a handler changed in a record that it had loaded, in one atomic command with one revision step, and only if nobody else has
 * written meanwhile: the revision that was loaded stands in the filter, and without one the old values of what is written. The scope stands
 * there too. 404, 412, 409; without changes there is no command.
 */
export async function saveRecord(
  store: Store,
  model: CompiledModel,
  { scope, loaded, plan }: SaveTarget,
  work: Work,
): Promise<StoredRecord> {
  if (plan.assignments.length === 0) return loaded;
  const id = loaded.stored._id;
  const changes: Changes = { assignments: plan.assignments, embedded: [] };
  const tag = revisionOf(model, loaded.stored);
  if (tag !== undefined) return store.update({ id, scope, precondition: { ifMatch: [{ weak: false, tag }] } }, changes, work);
  try {
    return await store.update({ id, scope: both(stillThere(plan), scope), precondition: undefined }, changes, work);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    await store.findOne(id, scope, { fetchPrivate: false }, work); // 404 where it is really gone
    throw new Problem({ code: 'precondition_failed', detail: 'The record has changed while this was done to it; try again.' });
  }
}

/** An expression, because it compares exactly: in a filter null is also what is missing, and a list has the value of any of its items. */
function stillThere({ before, within }: SavePlan): Filter {
  const same = before.map(({ path, value }: Assignment) =>
    value === absent ? { $eq: [{ $type: `$${path}` }, 'missing'] } : { $eq: [`$${path}`, { $literal: asSent(value) }] },
  );
  return { $expr: { $and: [...same, ...within.map(isObjectAt)] } };
}
