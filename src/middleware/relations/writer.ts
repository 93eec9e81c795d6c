import { once } from '../../mistakes.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { writableNames } from '../../model/write/access.ts';
import type { CascadeObserver, Writer } from '../../mongo/collection/writer.ts';
import type { Context } from '../exchange/context.ts';
import { reachOf } from '../reach/reach.ts';
import type { GuardedSource } from './relation-targets.ts';

/** Tells for the dotted name of a field whether a client may write it: it is open, and the server does not set it. */
export function isOpenTo(open: ReadonlySet<string>, server: Readonly<Record<string, unknown>> | undefined): (name: string) => boolean {
  return (name) => open.has(name) && !(server && Object.hasOwn(server, name.split('.', 1)[0] ?? ''));
}

/**
 * The client of a request, as it sees the model. It may write the fields that `checkCreate`, `checkPatch` or `checkPut`
 * has opened.
 */
export function writerOf(ctx: Context, { clientFields }: CompiledModel, observer?: CascadeObserver): Writer {
  const mayWrite = (name: string) => ctx.mayWrite?.(name) ?? false;
  return {
    scopeOf: (source) => reachOf(ctx).related(source as GuardedSource),
    reads: (model, name) => reachOf(ctx).reads(model, name),
    mayWrite,
    mayName: (name) => clientFields.has(name) && mayWrite(name),
    writeScope: ctx.writeScope,
    pathField: ctx.pathField,
    observer,
  };
}

/**
 * The client of an operation whose body does not say what is written. What a handler saves may come from the client, in
 * every field that clients know, and may leave the scope. A 409 names only fields that clients may write on create or
 * update.
 */
export function compileWriter(model: CompiledModel, explicitWrites = false): (ctx: Context, observer?: CascadeObserver) => Writer {
  const { clientFields, fieldTable } = model;
  const names = once(() => writableNames(fieldTable, { explicitWrites }));
  const mayWrite = (name: string) => clientFields.has(name);
  const mayName = (name: string) => clientFields.has(name) && names().has(name);
  return (ctx, observer) => {
    const scopeOfMade: Writer['scopeOfMade'] = (source) => reachOf(ctx).made(source as GuardedSource);
    return { ...writerOf(ctx, model, observer), scopeOfMade, mayWrite, mayName, writeScope: undefined };
  };
}
