import type { Context } from '../../middleware/exchange/context.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Equality } from '../../mongo/predicate/equality.ts';
import type { Kept } from './kept-bytes.ts';
import type { Concern } from './work/concern.ts';

/** The changes of a collection that can concern the caller of a stream: of the records that equal all of these. */
export interface Watched {
  readonly model: CompiledModel;
  readonly equal: readonly Equality[];
}

/** How `live` reads the state of a list or of a record, and what that depends on. */
export interface LiveSource extends Kept {
  readonly model: CompiledModel;
  /**
   * A digest of everything that decides what the caller sees: equal digests, equal states. Undefined if it cannot be
   * written as text.
   */
  readonly key: string | undefined;
  /** Whether those with equal keys may share what is read. */
  readonly isShared: boolean;
  /** The fields on which a list depends. */
  readonly concern?: Concern;
  /** The JSON text of the id of a single record. */
  readonly idText?: string;
  /** The collections of the related records that are shown, filtered or counted. */
  readonly related: ReadonlySet<string>;
  /** The records on which the rights of the caller depend. */
  readonly watched: readonly Watched[];
  /** Reads the state into a context below the one that was asked: `page` or `record`. */
  read(ctx: Context): Promise<void>;
}

const sources = new WeakMap<Context, LiveSource>();

/** Leaves for `live` how the state is read for a context. */
export function leaveSource(ctx: Context, source: LiveSource): void {
  sources.set(ctx, source);
}

/** What `liveRead` has left for a context. Undefined if its chain has no such end. */
export function sourceOf(ctx: Context): LiveSource | undefined {
  return sources.get(ctx);
}
