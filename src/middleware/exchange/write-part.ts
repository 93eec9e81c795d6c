import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { isSameValue } from '../../model/value/same-value.ts';
import type { Operations } from '../../mongo/collection/operations.ts';
import type { Visible } from '../../mongo/lifecycle/lifecycle.ts';
import type { StoredRecord } from '../../mongo/stored-record.ts';
import type { Context } from './context.ts';
import { workOf } from './exchange.ts';
import { readAddress } from './read-address.ts';

/** A record before and after a write. */
export interface WrittenRecord {
  /** Undefined for a new record. */
  readonly before?: StoredRecord | undefined;
  /** Undefined for a deleted record. */
  readonly after?: StoredRecord | undefined;
}

/** The access of `withinTransaction` to the records of a middleware that writes. */
export interface WritePart {
  /**
   * Reads the records that the write is about to change, in its transaction. Throws if they cannot be changed.
   *
   * @default none
   */
  findBefore?(ctx: Context): Promise<readonly StoredRecord[]>;
  /** Returns the records that the write has addressed, after it. `before` is what `findBefore` has found. */
  findWritten(ctx: Context, before: readonly StoredRecord[]): readonly WrittenRecord[] | Promise<readonly WrittenRecord[]>;
}

/** The part of a middleware that changes one record, and leaves it in `ctx.record`. */
export function updatePart(findBefore: (ctx: Context) => Promise<StoredRecord>): WritePart {
  return {
    findBefore: async (ctx) => [await findBefore(ctx)],
    findWritten: ({ record }, [before]) => [{ before, after: record }],
  };
}

/** Finds the record that a request with an id is about to change, by its scope and its preconditions. */
export function findCurrent(
  ctx: Context,
  model: CompiledModel,
  collection: Pick<Operations, 'findOne'>,
  visible: Visible = 'live',
): Promise<StoredRecord> {
  const { id, within } = readAddress(ctx, model);
  return collection.findOne(id, within.seeing(visible), { fetchPrivate: true, precondition: ctx.precondition }, workOf(ctx));
}

/** Whether a write has left a record as it was. */
export function isUnchanged({ before, after }: WrittenRecord): boolean {
  return before !== undefined && after !== undefined && isSameValue(before.stored, after.stored);
}
