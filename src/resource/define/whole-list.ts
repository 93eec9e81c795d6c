import { ConfigurationError } from '../../errors.ts';
import { refuse } from '../../mistakes.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { isList, type Operation } from './standard-operations.ts';

/** What the operations on a whole list depend on. */
export interface ListParts {
  readonly ops: readonly Operation[];
  /** The names of the custom operations. */
  readonly custom: readonly string[];
  /** Whether hooks run after the list. */
  readonly hasHooks: boolean;
  readonly model: CompiledModel;
}

/** The list whose parameters stand in a body, as a key of `guardsFor`: each list has one. */
export const queryName = 'query';

/** Refuses an operation on the whole list that cannot be served. `told` says what it does with what hooks hide. */
export function checkWholeList(name: string, { ops, hasHooks }: ListParts, told: string, where: string): void {
  if (!ops.some(isList)) throw new ConfigurationError(`\`${name}\` of ${where} is about its list, but \`ops\` has no \`list\`.`);
  if (hasHooks)
    throw new ConfigurationError(
      `${where} has \`${name}\`, and hooks in \`after\` of \`list\` (or \`read\`): they get a page of records, and there is none. What they hide would be ${told}. Leave \`${name}\` out, or do without the hooks: fields can be hidden by \`policy\`, and records by \`scope\`.`,
    );
}

/** Refuses custom operations that have the name of a read of the library. */
export function refuseNamesOfReads(reads: readonly string[], { custom }: ListParts, where: string): void {
  const taken = reads.filter((name) => name !== queryName && custom.includes(name));
  refuse(taken.map((name) => `${where} has \`${name}\`, so that a custom operation cannot have this name: give it another one.`));
}
