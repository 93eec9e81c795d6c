import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { CascadedChange, CascadedRecord, CascadeObserver } from '../../mongo/collection/writer.ts';
import type { Edge, References } from '../../mongo/relations/references.ts';
import { Stores } from '../../store/stores.ts';
import { containBody } from '../exchange/contain-errors.ts';
import type { Context } from '../exchange/context.ts';
import { runWithin, writtenOf } from '../exchange/run-within.ts';
import type { CascadeHooks, GuardedSource, HooksOfChange } from '../relations/relation-targets.ts';
import { surround } from '../relations/request-stores.ts';

/** Makes the observer of a delete or a restore in a request. */
type Observe = (ctx: Context) => CascadeObserver;

/** The operations that touch records which they do not address. */
type Cascading = 'delete' | 'restore';

/**
 * Compiles how a delete or a restore runs the hooks of the resources whose records it touches: those of `within` in its
 * transaction. {@link afterCascade} runs those of `after`. Undefined if there are no such hooks: then the records are
 * not read whole.
 */
export function compileObserve(model: CompiledModel, references: References | undefined, operation: Cascading): Observe | undefined {
  if (!references || !hasCascadeHooks(model, references, operation)) return undefined;
  const { db, maxTimeMS } = references;
  const stores = new Stores(db, maxTimeMS, { references: () => references });
  return (ctx) => {
    containBody(ctx);
    return {
      wants: haveHooks,
      async happened(records) {
        ctx.cascaded = records; // in place of those of a lost attempt
        const touched = records.filter((one) => (hooksOfRecord(one)?.within.length ?? 0) > 0);
        if (touched.length === 0) return;
        await surround(ctx, stores, async (tx) => {
          for (const one of touched) {
            await runWithin(hooksOfRecord(one)?.within ?? [], ctx, await writtenOf(one.before, one.after, { tx }));
          }
        });
      },
    };
  };
}

/** Whether hooks see the records of a source that a delete or a restore changes so. */
export function haveHooks(source: object, change: CascadedChange): boolean {
  return areSome(hooksOf(source)?.[change]);
}

/**
 * Whether a delete or a restore of a model's records may run hooks of other resources, or of its own for further
 * records.
 */
export function hasCascadeHooks(model: CompiledModel, references: References | undefined, operation: Cascading): boolean {
  return (references?.reachedFrom(model) ?? []).some((edge) => {
    const change = changeBy(edge, operation);
    return change !== undefined && haveHooks(edge.holder, change);
  });
}

/** The change that an operation makes to a record with this reference. */
function changeBy({ field: { ref } }: Edge, operation: Cascading): CascadedChange | undefined {
  if (ref.onDelete === 'cascade') return operation === 'restore' ? 'restored' : 'deleted';
  return operation === 'restore' || ref.onDelete === 'restrict' ? undefined : 'changed';
}

/** A hook of `after` that runs those of all records which the delete or restore of the request has touched. */
export async function afterCascade(ctx: Context): Promise<void> {
  for (const one of ctx.cascaded ?? []) {
    const { before, after = before } = one;
    for (const hook of hooksOfRecord(one)?.after ?? []) {
      ctx.exchange?.throwIfGivenUp();
      await hook(ctx, after.document);
    }
  }
}

function hooksOfRecord({ source, change }: CascadedRecord): HooksOfChange | undefined {
  return hooksOf(source)?.[change];
}

function hooksOf(source: object): CascadeHooks | undefined {
  return (source as GuardedSource).hooks;
}

function areSome(hooks: HooksOfChange | undefined): boolean {
  return hooks !== undefined && hooks.within.length + hooks.after.length > 0;
}
