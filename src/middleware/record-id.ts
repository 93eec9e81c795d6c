import { Problem } from '../errors.ts';
import type { CompiledModel } from '../model/compile-model.ts';
import { Invalid } from '../model/leaf.ts';
import type { Context } from './context.ts';

/** The id in the path, `ctx.params.id`, in stored form. A malformed one is 404: no record can have it (decisions, "One record"). */
export function recordId(ctx: Context, model: CompiledModel): unknown {
  const text = (ctx['params'] as { readonly id?: string } | undefined)?.id;
  if (text === undefined) throw new Error('The route has no `:id` parameter.');
  const id = text.includes('\0') ? new Invalid('has a NUL character') : model.id.leaf.fromText(text);
  if (id instanceof Invalid) throw new Problem('not_found', 'There is no such record.');
  return id;
}
