import type { Document as BsonDocument } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { referencesKey } from '../../model/value/own-keys.ts';
import type { Assignment, Changes } from '../../model/write/plan-changes.ts';
import { type Deletion, marking, newDeletion, unmarking } from '../lifecycle/lifecycle.ts';
import type { Within } from '../lifecycle/within.ts';
import type { Filter } from '../predicate/predicate.ts';
import type { Precondition } from '../query/precondition.ts';
import { buildUpdate, changesNothing } from '../query/update-pipeline.ts';
import type { KnownTargets, Target, Targets, Writer } from './writer.ts';

type Stored = Record<string, unknown>;

/** How one record is written. */
type WriteKind = 'insert' | 'upsert' | 'update' | 'step' | 'element' | 'remove' | 'restore';

/**
 * A write of one record, planned as data: those who check its references, record it or follow a delete
 * read the plan, and one function sends it.
 */
export interface WritePlan {
  readonly kind: WriteKind;
  readonly target: Target;
  /**
   * The values that are set: what they refer to is checked, and what the record lacks for them explains a miss.
   * @default none
   */
  readonly changes?: Changes;
  /**
   * The new record that is inserted: with `build` only if there is none with its id, so that the write always finds
   * one. What it refers to is checked.
   */
  readonly inserts?: Stored;
  /** What else is added to an array, besides the changes. */
  readonly added?: Assignment;
  /** What the record must fulfil besides, so that the write finds it. */
  readonly where?: Filter | undefined;
  /** Builds the update at the time of an attempt. Without one, the record is inserted or removed. */
  build?(now: Date): BsonDocument[];
  /** The delete that it is a part of: the write returns the record as it was before. */
  readonly deletion?: Deletion;
  /**
   * Explains why a record within the scope was not written: throws, or returns true if it is already as the write would
   * leave it. @default another write has come between, and it is tried again
   */
  explain?(stored: Readonly<Record<string, unknown>>): boolean;
}

/**
 * Plans the insert of a new record. If its id is taken, it is 409, or with `If-None-Match: *` in the precondition 412.
 * What it reaches says only how its record is shown.
 */
export function planInsert(inserts: Stored, within: Within, writer?: Writer, precondition?: Precondition): WritePlan {
  return { kind: 'insert', target: { id: inserts._id, within, precondition, writer }, inserts };
}

/** Plans the write of the changes of a patch or put. */
export function planUpdate(model: CompiledModel, target: Target, changes: Changes): WritePlan {
  return { kind: 'update', target, changes, build: (now) => buildUpdate(model, changes, now) };
}

/**
 * Plans the delete of a record: it is removed, or marked as deleted if its model has `t.deletedAt()`.
 *
 * @default a deletion of its own
 */
export function planRemove(model: CompiledModel, target: Target, deletion = newDeletion()): WritePlan {
  const plan = { kind: 'remove', target, deletion } as const;
  const marked = marking(model, deletion);
  return marked ? { ...plan, build: () => buildUpdate(model, marked, deletion.at) } : plan;
}

/**
 * Plans the restore of a deleted record. `clearing` are the stages that remove what has been lost meanwhile.
 *
 * @default none
 */
export function planRestore(model: CompiledModel, target: Target, clearing: readonly BsonDocument[] = []): WritePlan {
  const build = (now: Date) => [...clearing, ...buildUpdate(model, unmarking(model), now)];
  return { kind: 'restore', target: { ...target, within: target.within.seeing('only') }, build };
}

/** Whether a patch or put sets nothing, so that the record is only looked for. */
export function writesNothing({ kind, changes }: WritePlan): boolean {
  return kind === 'update' && changes !== undefined && changesNothing(changes);
}

/** In which way several records are written. */
type WriteManyKind = 'update' | 'remove' | 'rewrite' | 'purge' | 'hold';

/** A write of many records, planned as data as that of one is. */
export interface WriteManyPlan {
  readonly kind: WriteManyKind;
  readonly targets: Targets | KnownTargets;
  /**
   * The values that are set in every record that matches: what they refer to is checked, and a record that cannot take
   * them is named. Known records are written by the library itself, which checks what it sets.
   * @default none
   */
  readonly changes?: Changes;
  /**
   * Builds the updates at the time of an attempt. They are applied one after the other, and at most one of them steps
   * the revision. Without them, the records are removed.
   */
  build?(now: Date): readonly ManyUpdate[];
  /** The delete that it is a part of. */
  readonly deletion?: Deletion;
}

/** A pipeline, or an update with operators. */
type ManyUpdate = BsonDocument[] | BsonDocument;

/** Plans the same changes of every record that matches. */
export function planUpdateMany(model: CompiledModel, targets: Targets, changes: Changes): WriteManyPlan {
  return { kind: 'update', targets, changes, build: (now) => [buildUpdate(model, changes, now)] };
}

/**
 * Plans the delete of records: they are removed, or marked as deleted if their model has `t.deletedAt()`.
 *
 * @default a deletion of its own
 */
export function planRemoveMany(model: CompiledModel, targets: Targets | KnownTargets, deletion = newDeletion()): WriteManyPlan {
  const plan = { kind: 'remove', targets, deletion } as const;
  const marked = marking(model, deletion);
  return marked ? { ...plan, build: () => [buildUpdate(model, marked, deletion.writtenAt ?? deletion.at)] } : plan;
}

/** Plans update pipelines, which are applied one after the other. */
export function planRewrite(targets: KnownTargets, pipelines: readonly BsonDocument[][]): WriteManyPlan {
  return { kind: 'rewrite', targets, build: () => pipelines };
}

/** Plans to remove records for good. It leaves nothing behind, and erases what others have left (`mongo/keeps/`). */
export function planPurge(targets: KnownTargets): WriteManyPlan {
  return { kind: 'purge', targets };
}

/**
 * Plans to write into records, because the transaction that this is a part of makes a latch of them: a delete of a
 * record conflicts with it. Neither the revision nor `updatedAt` moves, and nobody sees it.
 */
export function planHold(targets: KnownTargets): WriteManyPlan {
  return { kind: 'hold', targets, build: () => [{ $inc: { [referencesKey]: 1 } }] };
}

/** Whether a write of many sets nothing that anybody sees, or leaves nothing behind. */
export function isUnrecorded({ kind, changes }: WriteManyPlan): boolean {
  return kind === 'purge' || kind === 'hold' || (changes !== undefined && changesNothing(changes));
}
