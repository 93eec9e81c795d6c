import { ConfigurationError, type ProblemCode, problemCodes } from '../../errors.ts';
import { checkNames } from '../../options.ts';
import type { AnswersProblems, ResourceMiddleware } from './context.ts';

/**
 * Lets a middleware carry the codes of the problems that it can answer. The OpenAPI description of an operation collects them from its chain,
 * so that it cannot forget one.
 */
export function canAnswer(problems: NonNullable<AnswersProblems['problems']>, middleware: ResourceMiddleware): ResourceMiddleware {
  return Object.assign(middleware, { problems });
}

/** The codes of the problems that a middleware or a guard carries, for a method such as `GET`. */
export function problemsOf({ problems = [] }: AnswersProblems, method: string): readonly ProblemCode[] {
  return typeof problems === 'function' ? problems(method) : problems;
}

/** Refuses what a function of the deployer's carries and is not the code of a problem of the library. */
export function checkProblems(carrier: AnswersProblems, where: string): void {
  const problems = problemsOf(carrier, 'POST');
  if (!Array.isArray(problems)) throw new ConfigurationError(`\`problems\` of ${where} must be an array of codes.`);
  checkNames('code of a problem', problems, Object.keys(problemCodes), `the library, in \`problems\` of ${where}`);
}

/** What a command that reads can end with. `internal` is a command that the database refuses as wrong. */
export const ofRead = ['internal', 'database_unavailable', 'database_timeout'] as const satisfies readonly ProblemCode[];

/** What a command that writes can end with. */
export const ofWrite = ['internal', 'database_unavailable', 'write_outcome_unknown'] as const satisfies readonly ProblemCode[];

/** What a write to a stored record can end with: a miss is explained by a read, and a lost race is tried again a few times only. */
export const ofChange = [...ofRead, ...ofWrite, 'not_found', 'precondition_failed', 'overloaded'] as const satisfies readonly ProblemCode[];

/** What the new values of a record can end with in addition. */
export const ofValues = ['validation_failed', 'duplicate_key', 'body_too_large'] as const satisfies readonly ProblemCode[];
