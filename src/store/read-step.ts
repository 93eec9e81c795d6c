import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { CounterStep } from '../mongo/collection/plan-step.ts';

/** Reads the step of a counter. Throws a plain Error for a field that is none, and for what is no step. */
export function readStep({ name: model, root }: CompiledModel, name: unknown, add: unknown): CounterStep {
  const field = root.byName.get(String(name));
  if (!field?.counter) throw new Error(`\`step\` of a store of ${model} takes the name of a counter, and not \`${String(name)}\`.`);
  if (!Number.isSafeInteger(add) || add === 0)
    throw new Error(`\`step\` of a store adds an integer other than 0, and not \`${String(add)}\`.`);
  return { field, add: add as number, changes: { assignments: [], embedded: [] } };
}
