import { once } from '../../mistakes.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { viewOf } from '../../model/compile/view-of.ts';
import { writableNames } from '../../model/write/access.ts';
import type { Told } from '../../mongo/driver/duplicate-key.ts';
import { rulesOf, Unasked } from '../views/asked-rules.ts';
import type { Context } from './context.ts';

/** A model as the client of a request sees it. If its rules were not asked, as every client sees it. */
export function seenOrNarrowest(ctx: Context, model: CompiledModel): CompiledModel {
  try {
    return rulesOf(ctx).seen(model);
  } catch (error) {
    if (error instanceof Unasked) return viewOf(model, new Set());
    throw error;
  }
}

/**
 * The fields that clients may write by a resource of the model; without one, those that its policies leave open. Of a
 * model with rules that were not asked, those that every caller may write.
 */
export function mayNameIn(ctx: Context, model: CompiledModel): Told['mayName'] {
  const names = once(() => {
    const own = ctx.findResources?.(model) ?? []; // without an api there are no resources
    const rules = own.length > 0 ? own : [{}];
    return new Set(rules.flatMap((one) => [...writableNames(seenOrNarrowest(ctx, model).fieldTable, one)]));
  });
  return (name) => names().has(name);
}
