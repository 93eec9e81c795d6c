import { ObjectId } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { absent } from '../../model/node.ts';
import { deletionKey } from '../../model/value/own-keys.ts';
import type { Changes } from '../../model/write/plan-changes.ts';
import type { Filter } from '../predicate/predicate.ts';

/**
 * Which records of a model with `t.deletedAt()` an operation sees: the living ones, only those that are deleted, or all
 * of them.
 */
export type Visible = 'live' | 'only' | 'with';

/** The members of a compiled model that say how it is deleted. */
export type Deletable = Pick<CompiledModel, 'deletedAt'>;

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

/** Whether a stored record is deleted. */
export function isMarked({ deletedAt }: Deletable, stored: Readonly<Record<string, unknown>>): boolean {
  return deletedAt !== undefined && stored[deletedAt.key] instanceof Date;
}

/** A filter for the records that were deleted at this time or before. */
export function isDeletedUntil({ deletedAt }: Deletable, until: Date): Filter {
  return { [keyOf({ deletedAt })]: { $gte: beforeAllTimes, $lte: until } };
}

/** The changes that mark a record as deleted. */
export function marking(model: Deletable, { at, id }: Deletion): Changes {
  return { assignments: [assign(keyOf(model), at), assign(deletionKey, id)], embedded: [] };
}

/** The changes that bring a deleted record back. */
export function unmarking(model: Deletable): Changes {
  return { assignments: [assign(keyOf(model), absent), assign(deletionKey, absent)], embedded: [] };
}

function assign(path: string, value: unknown): Changes['assignments'][number] {
  return { path, value };
}

function keyOf({ deletedAt }: Deletable): string {
  if (deletedAt) return deletedAt.key;
  throw new Error('This needs a model with `t.deletedAt()`: a delete removes the records of this one.');
}
