import type { Document as BsonDocument } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { absent } from '../../model/node.ts';
import type { Assignment, Changes, EmbeddedMerge } from '../../model/write/plan-changes.ts';
import type { Filter } from './filter.ts';

/**
 * Builds the update that carries out a plan in one atomic command: an aggregation pipeline, because only that can create an embedded
 * object where there is none, count a revision that is missing or null, and take any value literally.
 *
 * First, level by level, the embedded objects that the record may lack; then every assignment at once, with the revision's one step. Without
 * assignments that step depends on whether an object was created, which the first stage can still tell: a pipeline that leaves the record as
 * it was writes nothing.
 */
export function buildUpdate(model: CompiledModel, { assignments, embedded }: Changes, now: Date): BsonDocument[] {
  const created = embedded.filter(isCreated);
  const stages = levels(created).map((merges) => ({ $set: Object.fromEntries(merges.map(createMissing)) }));
  const [first, ...others] = stages;
  if (assignments.length === 0 && first)
    return [{ $set: { ...first.$set, ...count(model, now, { $and: created.map(({ path }) => isObjectAt(path)) }) } }, ...others];
  const assigned = Object.fromEntries(assignments.map(({ path, value }: Assignment) => [path, literal(value)]));
  const last = { ...assigned, ...count(model, now) };
  return Object.keys(last).length > 0 ? [...stages, { $set: last }] : stages;
}

/** What counts a write: the time, and the revision's step. Both stay as they are where `unless` holds. */
function count({ updatedAt, revision }: CompiledModel, now: Date, unless?: BsonDocument): BsonDocument {
  const step = (key: string, next: BsonDocument): BsonDocument => ({ [key]: unless ? { $cond: [unless, `$${key}`, next] } : next });
  return {
    ...(updatedAt && step(updatedAt.key, { $literal: now })),
    ...(revision && step(revision.key, { $add: [{ $ifNull: [`$${revision.key}`, 0] }, 1] })),
  };
}

function literal(value: unknown): unknown {
  return value === absent ? '$$REMOVE' : { $literal: value };
}

/** Whether the body suffices to create the object where there is none. */
function isCreated({ whole }: EmbeddedMerge): boolean {
  return whole !== undefined;
}

function createMissing({ path, whole }: EmbeddedMerge): [string, BsonDocument] {
  return [path, { $cond: [isObjectAt(path), `$${path}`, { $literal: whole }] }];
}

/** `{ path: { $type: 'object' } }` in a filter would also match a list of objects; the expression does not. */
export function isObjectAt(path: string): BsonDocument {
  return { $eq: [{ $type: `$${path}` }, 'object'] };
}

/** One stage may not set a path and a path below it: a stage for each depth. */
function levels(merges: readonly EmbeddedMerge[]): EmbeddedMerge[][] {
  const byDepth = new Map<number, EmbeddedMerge[]>();
  for (const merge of merges) {
    const depth = merge.path.split('.').length;
    byDepth.set(depth, [...(byDepth.get(depth) ?? []), merge]);
  }
  return [...byDepth.entries()].sort(([a], [b]) => a - b).map(([, level]) => level);
}

/** The condition that every embedded object which the body cannot create is there already; undefined when there is none. */
export function requireEmbedded(changes: Changes): Filter | undefined {
  const required = changes.embedded.filter((merge) => !isCreated(merge)).map((merge) => isObjectAt(merge.path));
  return required.length > 0 ? { $expr: { $and: required } } : undefined;
}

/** Whether there is nothing to write: the body was `{}`, or `{}` for objects that must be there already. */
export function changesNothing({ assignments, embedded }: Changes): boolean {
  return assignments.length === 0 && !embedded.some(isCreated);
}
