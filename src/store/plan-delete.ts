import { notFound } from '../errors.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { Model } from '../model/define/define-model.ts';
import type { HasFields } from '../model/define/infer.ts';
import { openCollection } from '../mongo/collection/collection.ts';
import { idsOnly } from '../mongo/collection/find.ts';
import type { Work } from '../mongo/driver/work.ts';
import { living } from '../mongo/lifecycle/within.ts';
import { findRestricting, type IsSeen, planCascade } from '../mongo/relations/cascade/plan-cascade.ts';
import type { CascadeLimits, References } from '../mongo/relations/references.ts';
import type { Id } from './store.ts';

/** Records that a delete would touch, or that forbid it. */
export interface PlannedRecords {
  /** The name of their model. */
  readonly model: string;
  readonly count: number;
  /** Their ids, as their documents have them. */
  readonly ids: readonly unknown[];
}

/** The effects of a delete. */
export interface DeletePlan {
  /** Whether the delete would be carried out, as things are. */
  readonly isAllowed: boolean;
  /** The limit of the api that it would exceed. What else it would do is not known then. */
  readonly exceeded: keyof CascadeLimits | undefined;
  /** The records that it would delete too, or remove references from, by model. */
  readonly steps: readonly (PlannedRecords & { readonly action: 'delete' | 'clear' })[];
  /** The references of records that forbid it. At most 1,000 ids are named. */
  readonly restrictedBy: readonly (PlannedRecords & { readonly field: string })[];
}

/**
 * Tells what a delete of a record by an operation of the api would do, without doing it. It is not limited by anyone's
 * scope: it is for the application itself. Throws `not_found` (404).
 */
export type PlanDelete = <M extends Model & HasFields>(model: M, id: Id<M>) => Promise<DeletePlan>;

/** The plan of a delete that touches no other record. */
export const nothingElse: DeletePlan = { isAllowed: true, exceeded: undefined, steps: [], restrictedBy: [] };

/** The most ids that restrict. */
const mostNamed = 1_000;

/** Makes the plan of a delete. `isSeen` is that of {@link planCascade}. */
export async function planDelete(
  model: CompiledModel,
  id: unknown,
  references: References,
  work: Work,
  isSeen: IsSeen,
): Promise<DeletePlan> {
  const collection = openCollection(model, references);
  if ((await collection.find({ among: [id], within: living(model, undefined) }, idsOnly, work)).length === 0) throw notFound();
  const plan = await planCascade(references, model, [id], work, isSeen);
  const restrictedBy: DeletePlan['restrictedBy'][number][] = [];
  for (const edge of plan.restricting) {
    const found = await findRestricting(edge, plan, { scope: undefined, most: mostNamed }, work);
    restrictedBy.push({ ...toPlanned(edge.holder.model, [...found.values()]), field: edge.field.name });
  }
  const deleted = plan.deleted.map(({ edge, ids }) => ({ ...toPlanned(edge.holder.model, ids), action: 'delete' as const }));
  const cleared = plan.rewritten.map(({ holder, ids }) => ({ ...toPlanned(holder.model, [...ids.values()]), action: 'clear' as const }));
  return {
    isAllowed: restrictedBy.length === 0 && !plan.exceeded,
    exceeded: plan.exceeded,
    steps: [...merge(deleted), ...cleared],
    restrictedBy,
  };
}

function toPlanned({ name, id: { leaf } }: CompiledModel, ids: readonly unknown[]): PlannedRecords {
  return { model: name, count: ids.length, ids: ids.map((id) => leaf.toDocument(id)) };
}

/** The steps of one model as one. */
function merge<Step extends PlannedRecords>(steps: readonly Step[]): Step[] {
  const merged = new Map<string, Step>();
  for (const step of steps) {
    const ids = [...(merged.get(step.model)?.ids ?? []), ...step.ids];
    merged.set(step.model, { ...step, ids, count: ids.length });
  }
  return [...merged.values()];
}
