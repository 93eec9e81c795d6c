import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { MethodOfStore } from '../../store/store-method.ts';
import { counterKind } from './kind.ts';
import { type CounterStep, planStep } from './plan-step.ts';

/** The method of stores that steps a counter. */
export const counterMethods = {
  async step({ model, write }, id, name, add, options) {
    const step = readStep(model, name, add);
    return write(id, options, (target) => planStep(model, target, step));
  },
} satisfies Record<string, MethodOfStore>;

/** Reads the step of a counter. Throws a plain Error for a field that is none, and for what is no step. */
function readStep({ name: model, root }: CompiledModel, name: unknown, add: unknown): CounterStep {
  const field = root.byName.get(String(name));
  if (field?.kind !== counterKind)
    throw new Error(`\`step\` of a store of ${model} takes the name of a counter, and not \`${String(name)}\`.`);
  if (!Number.isSafeInteger(add) || add === 0)
    throw new Error(`\`step\` of a store adds an integer other than 0, and not \`${String(add)}\`.`);
  return { field, add: add as number, changes: { assignments: [], embedded: [] } };
}
