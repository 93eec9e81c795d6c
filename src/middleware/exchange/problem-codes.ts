import { ConfigurationError, type ProblemCode, problemCodes } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { References } from '../../mongo/relations/references.ts';
import { checkNames } from '../../options.ts';
import type { AnswersProblems } from './context.ts';
import { codesOf } from './descriptor.ts';

/** Refuses codes of a user's function that are not codes of the library. */
export function checkProblems(carrier: AnswersProblems, where: string): void {
  checkCodes(codesOf(carrier.problems, 'POST'), where);
}

/** Refuses an option `problems` that is no array of codes of the library. */
export function checkCodes(problems: unknown, where: string): void {
  if (!Array.isArray(problems)) throw new ConfigurationError(`\`problems\` of ${where} must be an array of codes.`);
  checkNames('code of a problem', problems, Object.keys(problemCodes), `the library, in \`problems\` of ${where}`);
}

/** The problems of a command that reads. `internal` is the problem of a command that the database rejects. */
export const ofRead = ['internal', 'database_unavailable', 'database_timeout'] as const satisfies readonly ProblemCode[];

/** The problems of a command that writes. */
export const ofWrite = [
  'internal',
  'database_unavailable',
  'write_conflict',
  'write_timeout',
  'write_outcome_unknown',
] as const satisfies readonly ProblemCode[];

/** The additional problems of a transaction. */
export const ofTransaction = [...ofRead, ...ofWrite, 'replica_set_required'] as const satisfies readonly ProblemCode[];

/**
 * The problems of a write to a stored record. A miss is explained by a read, and a lost race is tried again a few times
 * only.
 */
export const ofChange = [...ofRead, ...ofWrite, 'not_found', 'precondition_failed'] as const satisfies readonly ProblemCode[];

/** The problems of a write to many records, which is a transaction. */
export const ofMany = [...ofRead, ...ofWrite, 'too_many_matches', 'replica_set_required'] as const satisfies readonly ProblemCode[];

/** The additional problems of a write with new values. */
export const ofValues = ['validation_failed', 'duplicate_key', 'body_too_large'] as const satisfies readonly ProblemCode[];

/**
 * The additional problems of a write that checks references: it reads the other records, and is a transaction if the
 * references must hold.
 */
export function ofReferences({ references }: CompiledModel): readonly ProblemCode[] {
  if (references.length === 0) return [];
  return [...ofRead, 'validation_failed', ...(references.some(({ ref }) => ref.onDelete) ? (['replica_set_required'] as const) : [])];
}

/** The additional problems of a write of one record whose changes are kept: it is a transaction then. */
export function ofLedger({ ledger }: CompiledModel): readonly ProblemCode[] {
  return ledger ? ofTransaction : [];
}

/** The additional problems of a delete of records that others refer to. */
export function ofCascade(model: CompiledModel, references: References | undefined): readonly ProblemCode[] {
  const actions = new Set(references?.reachedFrom(model).map(({ field }) => field.ref.onDelete));
  if (actions.size === 0) return [];
  const ofRestrict = actions.has('restrict') ? (['still_referenced'] as const) : [];
  const ofOthers = [...actions].some((action) => action !== 'restrict') ? (['too_many_references'] as const) : [];
  return ['replica_set_required', ...ofRestrict, ...ofOthers];
}
