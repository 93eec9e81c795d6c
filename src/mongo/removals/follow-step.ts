import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { idToJson } from '../../model/value/number-in-path.ts';
import { idsOnly } from '../collection/find.ts';
import { planHold, planRemoveMany, planRewrite } from '../collection/write-plan.ts';
import type { Work } from '../driver/work.ts';
import type { Keeps } from '../keeps/keep.ts';
import { keepsDeleted, notMarkedBy } from '../lifecycle/lifecycle.ts';
import { living, seeing, type Within } from '../lifecycle/within.ts';
import type { Predicate } from '../predicate/predicate.ts';
import { buildClear } from '../relations/cascade/clear-references.ts';
import { type IdSet, planCascade, toSet } from '../relations/cascade/plan-cascade.ts';
import type { Edge, ReferenceEnd, References } from '../relations/references.ts';
import { edgesTo, namesOf } from './edges.ts';
import { type Lost, lostTogether } from './lost-references.ts';
import { purgeRecords } from './purge-records.ts';
import {
  type Counts,
  clearingStep,
  firstStep,
  firstWait,
  lastStep,
  type RemovalRow,
  type RemovalRows,
  type RemovalStep,
} from './removal-rows.ts';

/** The most records that a step puts aside, and the most that it looks at of what would go with one of these. */
const mostAside = 1_000;
const mostWithOne = { maxCascade: 10_000, maxCleared: 100_000 } as const;

/** A transaction that follows a step. */
export interface Following {
  readonly row: RemovalRow;
  readonly rows: RemovalRows;
  readonly references: References | undefined;
  readonly keeps: Keeps;
  readonly work: Work;
  /** The most records that it removes or changes. */
  readonly most: number;
}

/** Follows a step as far as one transaction goes, and writes down how far it came. */
export async function followStep(step: RemovalStep, following: Following): Promise<Counts> {
  const { references } = following;
  if (step.kind !== 'forget' && references) return followReferences(step, step.kind, { ...following, references });
  return forget(step, following);
}

/** Erases what is kept of records that have lost their references. */
async function forget(step: RemovalStep, { rows, keeps, work, most }: Following): Promise<Counts> {
  if ((await keeps.eraseMentions(step.collection, step.ids, most, work)) === 0) await rows.drop(step, work);
  return { removed: 0, changed: 0 };
}

/** What follows a reference. */
interface FollowingReferences extends Following {
  readonly references: References;
}

async function followReferences(step: RemovalStep, kind: 'cascade' | 'clear', following: FollowingReferences): Promise<Counts> {
  const { rows, references, work, most } = following;
  const edges = edgesTo(references, step.collection, kind);
  const [any] = references.incoming(step);
  const ids = any ? await findGone(any.target, step.ids, following) : [];
  let [left, removed, changed, at] = [most, 0, 0, step];
  while (left > 0) {
    const edge = edges[at.edge];
    if (!edge || ids.length === 0) {
      await end(at, ids, following);
      return { removed, changed };
    }
    const found = at.aside.length < mostAside ? await findHolders(edge, ids, at.aside, left, following) : new Map();
    left -= found.size;
    if (found.size === 0) {
      if (at.aside.length > 0) await rows.add(putOff(at), work);
      at = { ...at, edge: at.isLast ? edges.length : at.edge + 1, aside: [], by: [] };
    } else if (at.kind === 'clear') {
      await clear({ edge, ids }, found, at, following);
      changed += found.size;
    } else {
      const { going, staying, by } = await divide(edge.holder, found, at.pass >= firstWait, following);
      await remove(edge.holder, going, following);
      removed += going.size;
      at = { ...at, aside: [...at.aside, ...staying], by: [...new Set([...at.by, ...by])] };
    }
  }
  await rows.change(at, work);
  return { removed, changed };
}

/** What follows a step that has come to its end. What was put off has been followed by the step before it. */
async function end(step: RemovalStep, ids: readonly unknown[], { row, rows, references, keeps, work }: FollowingReferences): Promise<void> {
  await rows.drop(step, work);
  const { removal, collection, kind, isLast } = step;
  if (isLast) return;
  if (kind === 'cascade' && ids.length > 0 && edgesTo(references, collection, 'clear').length > 0)
    await rows.add(clearingStep({ removal, collection, ids }), work);
  else if (row.kind === 'purge' && keeps.areMentioned(collection)) await rows.add(lastStep({ removal, collection, ids: step.ids }), work);
}

function putOff({ _id, ...step }: RemovalStep): Omit<RemovalStep, '_id'> {
  return { ...step, isLast: true, aside: [], pass: Math.max(step.pass + 1, firstWait) };
}

/**
 * Those of some records that are still gone by this removal: a restore brings them back, another delete follows what it
 * has deleted itself, and an id may be given again. A restore that begins now waits, or begins again.
 */
async function findGone({ model, collection }: ReferenceEnd, ids: readonly unknown[], { row, work }: Following): Promise<unknown[]> {
  const isMarked = row.kind === 'remove' && keepsDeleted(model);
  const within = seeing(model, 'with', isMarked ? notMarkedBy(row.deletion) : undefined);
  const there = toSet(model, await collection.find({ among: ids, within }, idsOnly, work));
  const gone = ids.filter((id) => !there.has(idToJson(model.id.leaf, id)));
  if (isMarked) await collection.writeMany(planHold({ ids: gone, within: seeing(model, 'only', undefined) }), work);
  return gone;
}

async function findHolders(
  { holder, field }: Edge,
  ids: readonly unknown[],
  aside: readonly unknown[],
  most: number,
  following: Following,
): Promise<IdSet> {
  const scope = aside.length > 0 ? { _id: { $nin: aside } } : undefined;
  const which = { path: field.path, among: ids, within: holding(holder.model, following.row, scope), limit: most };
  return toSet(holder.model, await holder.collection.find(which, idsOnly, following.work));
}

/** A purge also follows what deleted records refer to. */
function holding(model: CompiledModel, { kind }: RemovalRow, scope: Predicate | undefined): Within {
  return seeing(model, kind === 'purge' ? 'with' : 'live', scope);
}

/**
 * Divides records into those that may go and those that others forbid to remove, unless these go with them. Of what was
 * put off, it asks for each record what would go with it: that forbids nothing.
 */
async function divide(
  { model: ofModel }: ReferenceEnd,
  found: IdSet,
  isLate: boolean,
  { references, work }: FollowingReferences,
): Promise<{ readonly going: IdSet; readonly staying: readonly unknown[]; readonly by: readonly string[] }> {
  const going = new Map(found);
  const by: Edge[] = [];
  const edges = edgesTo(references, ofModel.collection, 'restrict');
  for (let before = -1; edges.length > 0 && before !== going.size; ) {
    before = going.size;
    for (const edge of edges) {
      const { collection, model } = edge.holder;
      const scope = model.collection === ofModel.collection ? { _id: { $nin: [...going.values()] } } : undefined;
      const isRestricted = async (ids: readonly unknown[]) =>
        (await collection.find({ path: edge.field.path, among: ids, within: living(model, scope), limit: 1 }, idsOnly, work)).length > 0;
      if (!(await isRestricted([...going.values()]))) continue;
      by.push(edge);
      for (const [key, id] of [...going]) if (await isRestricted([id])) going.delete(key);
    }
  }
  for (const [key, id] of isLate ? found : []) if (!going.has(key) && (await goesAlone(id))) going.set(key, id);
  return { going, staying: [...found].flatMap(([key, id]) => (going.has(key) ? [] : [id])), by: namesOf(by) };

  async function goesAlone(id: unknown): Promise<boolean> {
    const plan = await planCascade(references, ofModel, [id], work, () => false, mostWithOne);
    return plan.exceeded === undefined && plan.restricting.length === 0;
  }
}

async function remove({ model, collection }: ReferenceEnd, going: IdSet, following: FollowingReferences): Promise<void> {
  const { row, rows, references, keeps, work } = following;
  const ids = [...going.values()];
  if (ids.length === 0) return;
  const incoming = references.incoming(model).length > 0;
  if (incoming)
    await references.latches.claim(
      ids.map((id) => ({ collection: model.collection, id })),
      work,
    );
  const deletion = { ...row.deletion, writtenAt: new Date() };
  if (row.kind === 'remove') await collection.writeMany(planRemoveMany(model, { ids, within: living(model, undefined) }, deletion), work);
  else await purgeRecords({ model, collection, keeps }, ids, row, work);
  const begun = { removal: row._id, collection: model.collection, ids };
  if (incoming) await rows.add(firstStep(begun), work);
  else if (row.kind === 'purge' && keeps.areMentioned(model.collection)) await rows.add(lastStep(begun), work);
}

async function clear(first: Lost, found: IdSet, step: RemovalStep, following: FollowingReferences): Promise<void> {
  const holders = [...found.values()];
  const losing = { ...following, findGone: (end: ReferenceEnd, ids: readonly unknown[]) => findGone(end, ids, following) };
  const update = buildClear(await lostTogether(first, holders, step, losing), new Date());
  const { collection, model } = first.edge.holder;
  const targets = { ids: holders, within: holding(model, following.row, undefined) };
  await collection.writeMany(planRewrite(targets, [update]), following.work);
}
