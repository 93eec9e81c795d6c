import { once } from '../../mistakes.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { writableNames } from '../../model/write/access.ts';
import type { Viewer } from '../../mongo/collection/viewer.ts';
import type { Context } from '../exchange/context.ts';
import type { GuardedSource } from './relation-targets.ts';
import { sourceScopesOf } from './source-scopes.ts';

/**
 * The client of a request, for checked references. It answers for the fields that `checkCreate`, `checkPatch` or
 * `checkPut` has opened.
 */
export function viewerOf(ctx: Context): Viewer {
  return {
    scopeOf: (source) => sourceScopesOf(ctx).of(source as GuardedSource),
    mayWrite: (name) => ctx.mayWrite?.(name) ?? false,
    mayName: (name) => ctx.mayWrite?.(name) ?? false,
    pathField: ctx.pathField,
  };
}

/**
 * The client of an operation whose body does not say what is written. What a handler saves may come from the client, in
 * every field that clients know. A 409 names only fields that clients may write on create or update.
 */
export function compileViewer({ clientFields, fieldTable }: CompiledModel, explicitWrites = false): (ctx: Context) => Viewer {
  const names = once(() => writableNames(fieldTable, { explicitWrites }));
  const mayWrite = (name: string) => clientFields.has(name);
  const mayName = (name: string) => names().has(name);
  return (ctx) => ({ ...viewerOf(ctx), mayWrite, mayName });
}
