import type { Document as BsonDocument } from 'mongodb';
import type { CompiledModel } from '../model/compile-model.ts';
import type { Assignment, Changes, EmbeddedMerge } from '../model/plan-changes.ts';
import { absent } from '../model/read-value.ts';
import type { Filter } from './filter.ts';

/**
 * Builds the update that carries out a plan in one atomic command: an aggregation pipeline, because only that can create an embedded
 * object where there is none, count a revision that is missing or null, and take any value literally.
 *
 * First, level by level, the embedded objects that the record may lack; then every assignment at once, with the revision's one step.
 */
export function buildUpdate(model: CompiledModel, changes: Changes, now: Date): BsonDocument[] {
  const created = changes.embedded.filter((merge) => merge.whole !== undefined);
  const assignments = model.updatedAt ? [...changes.assignments, { path: model.updatedAt.key, value: now }] : changes.assignments;
  const last: BsonDocument = Object.fromEntries(assignments.map(({ path, value }: Assignment) => [path, literal(value)]));
  if (model.revision) last[model.revision.key] = { $add: [{ $ifNull: [`$${model.revision.key}`, 0] }, 1] };
  const stages = levels(created).map((merges) => ({ $set: Object.fromEntries(merges.map(createMissing)) }));
  return Object.keys(last).length > 0 ? [...stages, { $set: last }] : stages;
}

function literal(value: unknown): unknown {
  return value === absent ? '$$REMOVE' : { $literal: value };
}

function createMissing({ path, whole }: EmbeddedMerge): [string, BsonDocument] {
  return [path, { $cond: [isObject(path), `$${path}`, { $literal: whole }] }];
}

// `{ path: { $type: 'object' } }` in a filter would also match a list of objects; the expression does not.
function isObject(path: string): BsonDocument {
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
  const required = changes.embedded.filter((merge) => merge.whole === undefined).map((merge) => isObject(merge.path));
  return required.length > 0 ? { $expr: { $and: required } } : undefined;
}

/** Whether there is nothing to write: the body was `{}`, or `{}` for objects that must be there already and nobody counts the write. */
export function changesNothing(model: CompiledModel, { assignments, embedded }: Changes): boolean {
  if (assignments.length > 0) return false;
  const isCounted = model.revision !== undefined || model.updatedAt !== undefined;
  return embedded.length === 0 || (!isCounted && embedded.every((merge) => merge.whole === undefined));
}
