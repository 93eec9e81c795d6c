import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Viewer } from '../../mongo/viewer.ts';
import type { Context } from './context.ts';
import type { GuardedSource } from './relation-targets.ts';
import { sourceScopesOf } from './source-scopes.ts';

/** The client of a request, for checked references. It answers for the fields that `checkCreate`, `checkPatch` or `checkPut` has opened. */
export function viewerOf(ctx: Context): Viewer {
  return {
    scopeOf: (source) => sourceScopesOf(ctx).of(source as GuardedSource),
    mayWrite: (name) => ctx.mayWrite?.(name) ?? false,
    pathField: ctx.pathField,
  };
}

/** The client of a custom operation: what its handler saves may come from the client, in every field that clients know. */
export function viewerOfHandler(ctx: Context, { clientFields }: CompiledModel): Viewer {
  return { ...viewerOf(ctx), mayWrite: (name) => clientFields.has(name) };
}
