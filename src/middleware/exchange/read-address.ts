import { notFound } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { LeafNode, Slot } from '../../model/node.ts';
import type { Target, Writer } from '../../mongo/collection/writer.ts';
import { living, type Within } from '../../mongo/lifecycle/within.ts';
import { spellJson } from '../../mongo/stored-record.ts';
import { Invalid } from '../../rules.ts';
import type { Context } from './context.ts';

/** The record that the path addresses. */
export interface Address {
  /** In stored form. */
  readonly id: unknown;
  /** The living records of the row filter. */
  readonly within: Within;
}

/**
 * Reads the id in the path, `ctx.params.id`. Each record has one path: an id that is malformed, or spelt differently
 * than in `Location`, is 404.
 */
export function readAddress(ctx: Context, model: CompiledModel): Address {
  return { id: readId(parameterOf(ctx, 'id'), model), within: living(model, ctx.scope) };
}

/** The record that the path addresses, for a write by a client: only if it fulfils the precondition of the request. */
export function targetOf(ctx: Context, model: CompiledModel, writer: Writer): Target {
  const { id, within } = readAddress(ctx, model);
  return { id, within, precondition: ctx.precondition, writer };
}

/** The value of a parameter of the route. */
export function parameterOf(ctx: Context, name: 'id' | 'other'): string {
  const text = (ctx.params as { readonly id?: string; readonly other?: string } | undefined)?.[name];
  if (text === undefined) throw new Error(`The route has no \`:${name}\` parameter.`);
  return text;
}

/** Reads the text of an id. It must be spelt as in `Location`: otherwise it is 404. */
export function readId(text: string, model: CompiledModel): unknown {
  const id = text.includes('\0') ? new Invalid('nul_character', 'has a NUL character') : model.id.leaf.fromText(text);
  if (id instanceof Invalid || spellJson(model.id.leaf.toJson(id)) !== text) throw notFound();
  return id;
}

/**
 * Reads the id of a path as a reference of this place, in stored form. It is {@link Invalid} if the place does not take
 * the id, although a record may have it: its type or its keywords are narrower than those of the ids.
 */
export function readReference(text: string, { node, constraint }: Slot): unknown {
  const { leaf } = node as LeafNode;
  const reference = leaf.fromText(text);
  if (reference instanceof Invalid) return reference;
  return constraint?.(leaf.toDocument(reference)) ?? reference;
}
