import { validationFailed } from '../../errors.ts';
import type { FieldError } from '../../rules.ts';
import { isSeen, noteSubject, type Origin, type Subject, subjectOf } from './subject.ts';

/**
 * Refuses values of a document that the application's own code wants to write, if there are errors: throws
 * `validation_failed` (422) with all of them, and notes what each is about. A client is told of those that its view
 * has, because such a value probably comes from it. An error that is about no field is a mistake of the application: a
 * plain Error (500), whatever else is wrong. `sentence` begins the message to the developer.
 */
export function refuseInvalid(
  errors: readonly FieldError[],
  model: Subject['model'],
  document: unknown,
  sentence: string,
  origin?: Origin,
): void {
  if (errors.length === 0) return;
  const problem = validationFailed(errors);
  for (const error of problem.errors ?? []) noteSubject(error, { model, sentence }, document, origin);
  const isMistake = problem.errors?.some((error) => subjectOf(error)?.ways.includes(undefined));
  throw isMistake ? new Error(`${sentence}: ${describeErrors(errors)}.`) : problem;
}

/** Those of some errors in a document that are about fields which the model shows. */
export function seenErrors(errors: readonly FieldError[], model: Subject['model'], document: unknown): FieldError[] {
  for (const error of errors) noteSubject(error, { model }, document);
  return errors.filter((error) => isSeen(model.root, subjectOf(error) as Subject));
}

/** Errors in words, for the log of an application. */
export function describeErrors(errors: readonly FieldError[]): string {
  return errors.map(({ field, message }) => `\`${field}\` ${message}`).join('; ');
}
