import type { CompiledModel } from '../../../model/compile/compile-model.ts';
import { idToJson } from '../../../model/value/number-in-path.ts';
import { idsOnly } from '../../collection/find.ts';
import type { Work } from '../../driver/work.ts';
import { living } from '../../lifecycle/within.ts';
import type { Predicate } from '../../predicate/predicate.ts';
import type { CascadeLimits, Edge, ReferenceEnd, References } from '../references.ts';

/** Records of one collection, by the texts of their ids. */
export type IdSet = Map<string, unknown>;

/** Records that lose references to others, in one step of their revision each. */
export interface Rewrite {
  readonly holder: ReferenceEnd;
  readonly edges: Set<Edge>;
  readonly ids: IdSet;
}

/** The consequences of a delete. */
export interface CascadePlan {
  /** All records that the delete removes, by collection, the addressed ones included. */
  readonly gone: ReadonlyMap<string, IdSet>;
  /** The records that go because of others, in the order of the steps: parents before their children. */
  readonly deleted: readonly { readonly edge: Edge; readonly ids: readonly unknown[] }[];
  readonly rewritten: readonly Rewrite[];
  /** The references of records that stay, and forbid the delete. */
  readonly restricting: readonly Edge[];
  /** The limit that the delete would exceed. The plan ends there. */
  readonly exceeded?: keyof CascadeLimits;
}

const nothing: CascadePlan = { gone: new Map(), deleted: [], rewritten: [], restricting: [] };

/** Whether hooks see the records of a model that lose a reference. */
export type IsSeen = (holder: ReferenceEnd) => boolean;

/**
 * Finds out what follows from a delete of records, and changes nothing. It follows all cascades first, to any depth and
 * over circles, and visits each record once. Then it looks among the remaining records for those that restrict and
 * those that lose a reference. So the order of models and records does not matter.
 *
 * It sends one command for each reference and each step of depth. The records of `isSeen` that lose a reference count
 * for `maxCascade`. `limits` are by default those of the api.
 */
export async function planCascade(
  references: References,
  model: CompiledModel,
  ids: readonly unknown[],
  work: Work,
  isSeen: IsSeen,
  limits: CascadeLimits = references.limits,
): Promise<CascadePlan> {
  if (ids.length === 0) return nothing;
  const gone = new Map<string, IdSet>([[model.collection, toSet(model, ids)]]);
  const deleted: { edge: Edge; ids: unknown[] }[] = [];
  const left = { ...limits };

  const findHolders = (edge: Edge, targets: readonly unknown[], most: number) =>
    findStaying(edge, targets, gone, { scope: undefined, most }, work);

  const edgesTo = (collection: string, ...actions: readonly unknown[]) =>
    references.incoming({ collection }).filter(({ field }) => actions.includes(field.ref.onDelete));

  const steps = [{ collection: model.collection, ids }];
  for (let step = steps.shift(); step; step = steps.shift()) {
    for (const edge of edgesTo(step.collection, 'cascade')) {
      const { collection } = edge.holder.model;
      const found = await findHolders(edge, step.ids, left.maxCascade + 1);
      left.maxCascade -= found.size;
      if (left.maxCascade < 0) return { ...nothing, exceeded: 'maxCascade' };
      if (found.size === 0) continue;
      const children = [...found.values()];
      const going = gone.get(collection) ?? new Map<string, unknown>();
      for (const [key, id] of found) going.set(key, id);
      gone.set(collection, going);
      deleted.push({ edge, ids: children });
      steps.push({ collection, ids: children });
    }
  }

  const restricting: Edge[] = [];
  for (const [collection, targets] of gone)
    for (const edge of edgesTo(collection, 'restrict'))
      if ((await findHolders(edge, [...targets.values()], 1)).size > 0) restricting.push(edge);

  const rewrites = new Map<string, Rewrite>(); // by collection: several models of one make one step of the revision
  for (const [collection, targets] of gone)
    for (const edge of edgesTo(collection, 'nullify', 'pull')) {
      const { holder } = edge;
      const rewrite = rewrites.get(holder.model.collection) ?? { holder, edges: new Set(), ids: new Map() };
      const limit = isSeen(holder) ? 'maxCascade' : 'maxCleared';
      const found = await findHolders(edge, [...targets.values()], left[limit] + rewrite.ids.size + 1);
      if (found.size === 0) continue;
      left[limit] -= [...found.keys()].filter((key) => !rewrite.ids.has(key)).length;
      if (left[limit] < 0) return { ...nothing, gone, restricting, exceeded: limit };
      for (const [key, id] of found) rewrite.ids.set(key, id);
      rewrite.edges.add(edge);
      rewrites.set(holder.model.collection, rewrite);
    }
  return { gone, deleted, rewritten: [...rewrites.values()], restricting };
}

/**
 * The records within a scope that refer to these by an edge and are not deleted themselves. At least `most`, if there
 * are.
 */
async function findStaying(
  { holder, field }: Edge,
  targets: readonly unknown[],
  gone: CascadePlan['gone'],
  { scope, most }: { readonly scope: Predicate | undefined; readonly most: number },
  work: Work,
): Promise<IdSet> {
  const going = gone.get(holder.model.collection);
  const which = { path: field.path, among: targets, within: living(holder.model, scope), limit: most + (going?.size ?? 0) };
  const found = await holder.collection.find(which, idsOnly, work);
  const staying = toSet(holder.model, found);
  for (const key of going?.keys() ?? []) staying.delete(key);
  return staying;
}

/**
 * Finds the records within a scope that forbid a delete by this edge: at most `most`, by the texts of their ids.
 */
export async function findRestricting(
  edge: Edge,
  { gone }: Pick<CascadePlan, 'gone'>,
  limits: { readonly scope: Predicate | undefined; readonly most: number },
  work: Work,
): Promise<ReadonlyMap<string, unknown>> {
  const targets = [...(gone.get(edge.target.model.collection)?.values() ?? [])];
  const found = await findStaying(edge, targets, gone, limits, work);
  return new Map([...found].slice(0, limits.most));
}

/** Returns ids of records of a model by their texts. */
export function toSet({ id }: CompiledModel, ids: readonly unknown[]): IdSet {
  return new Map(ids.map((one) => [idToJson(id.leaf, one), one]));
}
