import type { Context } from '../../middleware/exchange/context.ts';
import { exchangeOf, workOf } from '../../middleware/exchange/exchange.ts';
import { readAddress } from '../../middleware/exchange/read-address.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { idsOnly } from '../../mongo/collection/find.ts';
import type { Operations } from '../../mongo/collection/operations.ts';
import { Work } from '../../mongo/driver/work.ts';
import { living } from '../../mongo/lifecycle/within.ts';
import type { Predicate } from '../../mongo/predicate/predicate.ts';
import { type ShownRecord, textOf } from '../../mongo/shown-record.ts';

/** The record of a path, as the answer of an operation on it leaves it. */
export interface NotedAddress {
  readonly record: ShownRecord;
  /** Whether the operation has deleted it, or taken it out of the scope. */
  readonly hasLeft: boolean;
}

/** The parts by which the record of a path is found. */
export interface AddressRoom {
  readonly model: CompiledModel;
  readonly collection: Pick<Operations, 'find'>;
  /** The row filter of the request. */
  filterOf(ctx: Context): Promise<Predicate>;
}

/**
 * Finds the record that the path of an answered request addresses, unless it is known that the answer shows it: a
 * handler may read it in another way than by `ctx.load`. Undefined if the caller could see no such record before: then
 * the answer is not about one.
 */
export async function noteAddress(
  ctx: Context,
  known: readonly ShownRecord[],
  { model, collection, filterOf }: AddressRoom,
): Promise<NotedAddress | undefined> {
  const id = addressedId(ctx, model);
  if (id === undefined) return undefined;
  const record = { name: model.name, collection: model.collection, id };
  if (known.some((one) => textOf(one) === textOf(record))) return undefined;
  const filter = await filterOf(ctx);
  const isSeen = async (work: Work) => (await collection.find({ among: [id], within: living(model, filter) }, idsOnly, work)).length > 0;
  if (await isSeen(workOf(ctx))) return { record, hasLeft: false };
  return (await lookOutside(ctx, isSeen)) ? { record, hasLeft: true } : undefined;
}

/** Undefined if no record can have the id in the path. */
function addressedId(ctx: Context, model: CompiledModel): unknown {
  try {
    return readAddress(ctx, model).id;
  } catch {
    return undefined;
  }
}

/** Reads outside the transaction of a request: what it has written is not committed yet, and is not seen. */
async function lookOutside<T>(ctx: Context, read: (work: Work) => Promise<T>): Promise<T> {
  const { signal } = exchangeOf(ctx);
  const work = new Work();
  const end = () => work.giveUp(signal.reason as Error);
  signal.addEventListener('abort', end, { once: true });
  try {
    signal.throwIfAborted();
    return await read(work);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
