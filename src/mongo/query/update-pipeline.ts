import type { Document as BsonDocument } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { absent } from '../../model/node.ts';
import { KeyMerge } from '../../model/write/key-merge.ts';
import type { Changes, EmbeddedMerge } from '../../model/write/plan-changes.ts';
import type { Filter } from '../predicate/predicate.ts';
import { mergedKeys, requirementsOf } from './merge-keys.ts';
import { noteSwitch } from './switch-times.ts';

/**
 * Builds the update that carries out a plan in one atomic command. It is an aggregation pipeline, because only a
 * pipeline can create a missing embedded object, increment a revision that is missing or null, and take any value
 * literally.
 *
 * The first stages create missing embedded objects, level by level. The last stage has all assignments, and increments
 * the revision. Without assignments, the revision is incremented only if an object was created, or if the client may
 * not know whether one was. Only the first stage can tell, so it does both. A pipeline that leaves the record as it was
 * writes nothing. `computed` are expressions for stored keys that are set together with the plan.
 */
export function buildUpdate(model: CompiledModel, changes: Changes, now: Date, computed?: BsonDocument): BsonDocument[] {
  const { assignments, embedded, blind } = model.folds ? model.folds.extend(changes) : changes;
  const created = embedded.length > 0 ? embedded.filter(isCreated) : embedded;
  const stages = levels(created).map((merges) => ({ $set: createAll(merges) }));
  const [first] = stages;
  if (assignments.length === 0 && first && !computed && !blind) {
    count(first.$set, model, now, { $and: created.map(({ path }) => isObjectAt(path)) });
    return stages;
  }
  const last: BsonDocument = { ...computed };
  for (const { path, value } of assignments) last[path] = value instanceof KeyMerge ? mergedKeys(value, `$${path}`) : literal(value);
  if (model.deliveries) Object.assign(last, noteSwitch(model, assignments, now));
  count(last, model, now);
  if (assignments.length > 0 || computed || model.updatedAt || model.revision) stages.push({ $set: last });
  return stages;
}

/** What sets `updatedAt` and increments the revision. */
export function countWrite(model: CompiledModel, now: Date): BsonDocument {
  const set: BsonDocument = {};
  count(set, model, now);
  return set;
}

/** Adds it. Both stay as they are if the expression `unless` is true. */
function count(set: BsonDocument, { updatedAt, revision }: CompiledModel, now: Date, unless?: BsonDocument): void {
  const step = (key: string, next: BsonDocument): BsonDocument => (unless ? { $cond: [unless, `$${key}`, next] } : next);
  if (updatedAt) set[updatedAt.key] = step(updatedAt.key, now);
  if (revision) set[revision.key] = step(revision.key, { $add: [{ $ifNull: [`$${revision.key}`, 0] }, 1] });
}

/**
 * An expression for a value that must be taken as it is. Only objects, arrays and texts with `$` could be taken for
 * something else.
 */
export function literal(value: unknown): unknown {
  if (value === absent) return '$$REMOVE';
  const isPlain = typeof value === 'string' ? !value.startsWith('$') : typeof value !== 'object' || value === null || value instanceof Date;
  return isPlain ? value : { $literal: value };
}

/** Whether the update creates the object if it is missing: the body suffices for that. */
function isCreated({ whole }: EmbeddedMerge): boolean {
  return whole !== undefined;
}

function createAll(merges: readonly EmbeddedMerge[]): BsonDocument {
  const set: BsonDocument = {};
  for (const { path, whole } of merges) set[path] = { $cond: [isObjectAt(path), `$${path}`, { $literal: whole }] };
  return set;
}

/**
 * An expression that is true if the path has an object. A filter `{ path: { $type: 'object' } }` would also match an
 * array of objects.
 */
export function isObjectAt(path: string): BsonDocument {
  return { $eq: [{ $type: `$${path}` }, 'object'] };
}

/** Groups the objects by depth, one stage each: a stage may not set a path together with a path below it. */
function levels(merges: readonly EmbeddedMerge[]): (readonly EmbeddedMerge[])[] {
  if (merges.length < 2) return merges.length === 0 ? [] : [merges];
  const byDepth = new Map<number, EmbeddedMerge[]>();
  for (const merge of merges) {
    const depth = merge.path.split('.').length;
    byDepth.set(depth, [...(byDepth.get(depth) ?? []), merge]);
  }
  return [...byDepth.entries()].sort(([a], [b]) => a - b).map(([, level]) => level);
}

/**
 * The condition that every object exists which the body cannot create, and that maps have as many keys afterwards as
 * they may. Undefined if nothing is required.
 */
export function requireMergeable(changes: Changes): Filter | undefined {
  const { embedded, assignments } = changes;
  const isOfKeys = assignments.some(({ value }) => value instanceof KeyMerge);
  if (embedded.length === 0 && !isOfKeys) return undefined;
  const required = embedded.filter((merge) => !isCreated(merge)).map((merge) => isObjectAt(merge.path));
  if (isOfKeys) required.push(...requirementsOf(changes));
  return required.length > 0 ? { $expr: { $and: required } } : undefined;
}

/** Whether there is nothing to write: the body was `{}`, or had `{}` for objects that must already exist. */
export function changesNothing({ assignments, embedded }: Changes): boolean {
  return assignments.length === 0 && !embedded.some(isCreated);
}
