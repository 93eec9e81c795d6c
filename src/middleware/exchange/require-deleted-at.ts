import { ConfigurationError } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';

/** Refuses a model whose records are removed by a delete. `what` needs another one. */
export function requireDeletedAt({ name, deletedAt }: CompiledModel, what: string): void {
  if (!deletedAt) throw new ConfigurationError(`${what} needs a model with \`t.deletedAt()\`: a delete removes the records of ${name}.`);
}
