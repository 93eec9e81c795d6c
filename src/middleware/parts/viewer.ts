import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Viewer } from '../../mongo/viewer.ts';
import type { Context } from './context.ts';
import type { GuardedSource } from './relation-targets.ts';
import { SourceScopes } from './source-scopes.ts';

/** What is known of each request: another attempt of a transaction must not ask the guards again. */
const scopes = new WeakMap<Context, SourceScopes>();

function scopesOf(ctx: Context): SourceScopes {
  const known = scopes.get(ctx) ?? new SourceScopes(ctx);
  scopes.set(ctx, known);
  return known;
}

/** The client of a request, for checked references. It answers for the fields that `checkCreate`, `checkPatch` or `checkPut` has opened. */
export function viewerOf(ctx: Context): Viewer {
  return {
    scopeOf: (source) => scopesOf(ctx).of(source as GuardedSource),
    mayWrite: (name) => ctx.mayWrite?.(name) ?? false,
  };
}

/** The client of a custom operation: what its handler saves may come from the client, in every field that clients know. */
export function viewerOfHandler(ctx: Context, { clientFields }: CompiledModel): Viewer {
  return { ...viewerOf(ctx), mayWrite: (name) => clientFields.has(name) };
}
