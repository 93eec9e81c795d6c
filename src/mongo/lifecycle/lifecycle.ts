import { ObjectId } from 'mongodb';
import { ConfigurationError } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { changeKinds } from '../../model/compile/history-fields.ts';
import { absent } from '../../model/node.ts';
import { deletionKey } from '../../model/value/own-keys.ts';
import type { Changes } from '../../model/write/plan-changes.ts';
import type { Filter } from '../predicate/predicate.ts';

type Stored = Readonly<Record<string, unknown>>;

/**
 * Which records of a model with `t.deletedAt()` an operation sees: the living ones, only those that are deleted, or all
 * of them.
 */
export type Visible = 'live' | 'only' | 'with';

/** The members of a compiled model that say how it is deleted. */
export type Deletable = Pick<CompiledModel, 'deletedAt'>;

/** What a write has made of a record. */
export type ChangeKind = (typeof changeKinds)[number];

/** One delete. Every record that it marks has the same time and the same id. */
export interface Deletion {
  readonly at: Date;
  readonly id: ObjectId;
  /** When it is written, if that is later: `updatedAt` never goes back. */
  readonly writtenAt?: Date;
}

/** Makes the deletion of a delete that begins now. */
export function newDeletion(): Deletion {
  return { at: new Date(), id: new ObjectId() };
}

/** Whether a delete keeps the records of a model, and marks them, so that they can be restored. */
export function keepsDeleted({ deletedAt }: Deletable): boolean {
  return deletedAt !== undefined;
}

/** Refuses a model whose records are removed by a delete. `what` needs another one. */
export function requireDeletedAt(
  { name, deletedAt }: CompiledModel,
  what: string,
  Refusal: new (message: string) => Error = ConfigurationError,
): void {
  if (!deletedAt) throw new Refusal(`${what} needs a model with \`t.deletedAt()\`: a delete removes the records of ${name}.`);
}

/** The path of the time of the deletion. Undefined if a delete removes the records of the model. */
export function markPath({ deletedAt }: Deletable): string | undefined {
  return deletedAt?.key;
}

/**
 * A bound below every time. With it, and not with `$ne: null`, the planner of the database knows that it may use an
 * index of deleted records.
 */
export const beforeAllTimes = new Date(-8.64e15);

/**
 * A filter for the living records; undefined if a delete removes the records of the model. A partial index may have it
 * as its filter.
 */
export function isLive({ deletedAt }: Deletable): Filter | undefined {
  return deletedAt && { [deletedAt.key]: null };
}

/**
 * A filter for the deleted records; undefined if a delete removes the records of the model. A partial index may have it
 * as its filter.
 */
export function isDeleted({ deletedAt }: Deletable): Filter | undefined {
  return deletedAt && { [deletedAt.key]: { $gte: beforeAllTimes } };
}

/** A filter for the records that were deleted at this time or before. */
export function isDeletedUntil(model: Deletable, until: Date): Filter {
  return { [keyOf(model)]: { $gte: beforeAllTimes, $lte: until } };
}

/** The order of their deletions, the oldest one first. */
export function oldestFirst(model: Deletable): Readonly<Record<string, 1>> {
  return { [keyOf(model)]: 1, _id: 1 };
}

/** A filter for what the delete of a deleted record has marked, too. Undefined if that is not known. */
export function markedWith({ [deletionKey]: id }: Stored): Filter | undefined {
  return id === undefined ? undefined : { [deletionKey]: { $eq: id } };
}

/** A filter for what a delete has not marked. */
export function notMarkedBy({ id }: Deletion): Filter {
  return { [deletionKey]: { $ne: id } };
}

/** Whether a stored record is deleted. */
export function isMarked({ deletedAt }: Deletable, stored: Stored): boolean {
  return deletedAt !== undefined && stored[deletedAt.key] instanceof Date;
}

/** Whether who sees these records sees one that is deleted, or one that is not. */
export function shows(visible: Visible, isDeleted: boolean): boolean {
  return visible === 'with' || isDeleted === (visible === 'only');
}

/** The changes that mark a record as deleted. Undefined if a delete removes it. */
export function marking(model: Deletable, { at, id }: Deletion): Changes | undefined {
  return model.deletedAt && { assignments: [assign(keyOf(model), at), assign(deletionKey, id)], embedded: [] };
}

/** The changes that bring a deleted record back. */
export function unmarking(model: Deletable): Changes {
  return { assignments: [assign(keyOf(model), absent), assign(deletionKey, absent)], embedded: [] };
}

/** A record as a delete has left it. Undefined if it is gone. */
export function afterDelete(model: CompiledModel, before: Stored, { at, id, writtenAt = at }: Deletion): Stored | undefined {
  const { deletedAt, revision, updatedAt } = model;
  if (!deletedAt) return undefined;
  const counted = revision && { [revision.key]: Number(before[revision.key] ?? 0) + 1 };
  const timed = updatedAt && { [updatedAt.key]: writtenAt };
  return { ...before, [deletedAt.key]: at, [deletionKey]: id, ...counted, ...timed };
}

/** What has happened to a record between two of its states. Undefined is a record that is not there. */
export function changeBetween(model: Deletable, before: Stored | undefined, after: Stored | undefined): ChangeKind {
  if (!before) return 'created';
  if (!after) return 'deleted';
  const [wasDeleted, isDeleted] = [isMarked(model, before), isMarked(model, after)];
  if (wasDeleted === isDeleted) return 'patched';
  return isDeleted ? 'deleted' : 'restored';
}

/** The changes after which a record lives that did not, or the other way round. */
export const changesOfLife: readonly ChangeKind[] = ['deleted', 'restored'];

/** Whether a record was deleted before one of these changes. */
export function wasDeletedBefore(model: Deletable, change: ChangeKind): boolean {
  return keepsDeleted(model) && change === 'restored';
}

/** Whether a record will live if these values are set by their paths. Undefined if they leave that as it is. */
export function lifeSetBy({ deletedAt }: Deletable, values: ReadonlyMap<string, unknown>): boolean | undefined {
  return deletedAt && values.has(deletedAt.key) ? values.get(deletedAt.key) === absent : undefined;
}

/** Whether a record lives, as an expression about it. */
export function livesExpression({ deletedAt }: Deletable): unknown {
  return deletedAt ? { $ne: [{ $type: `$${deletedAt.key}` }, 'date'] } : true;
}

function assign(path: string, value: unknown): Changes['assignments'][number] {
  return { path, value };
}

function keyOf({ deletedAt }: Deletable): string {
  if (deletedAt) return deletedAt.key;
  throw new Error('This needs a model with `t.deletedAt()`: a delete removes the records of this one.');
}
