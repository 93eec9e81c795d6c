import type { CompiledModel } from '../../model/compile/compile-model.ts';

/** What the caller of a request may see of the model of its resource. */
export interface View {
  /**
   * Whether the caller reads a field, by its dotted name.
   *
   * @example
   * handler((ctx) => (ctx.view.shows('total') ? feeOf(ctx) : 0));
   */
  shows(field: string): boolean;
  /** @internal The model as the caller sees it. */
  readonly model: CompiledModel;
}

const made = new WeakMap<CompiledModel, View>();

/** Leaves in `ctx.view` what the caller sees of a model. */
export function setView(ctx: { view?: View }, model: CompiledModel): void {
  const known = made.get(model) ?? { model, shows: (field) => model.fieldTable.get(field)?.isPrivate === false };
  made.set(model, known);
  ctx.view = known;
}
