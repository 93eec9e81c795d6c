import { isProblem, Problem, validationFailed } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { describeErrors } from '../../model/write/refuse-invalid.ts';
import { isSeen, subjectOf } from '../../model/write/subject.ts';
import { tellIn } from '../../model/write/tell-in.ts';
import { retold } from '../../mongo/relations/retellings.ts';
import { type FieldError, notesOf } from '../../rules.ts';
import { mayNameIn, seenOrNarrowest } from './client-sight.ts';
import type { Context } from './context.ts';

/**
 * An error as the client of a request is told it. What a store, `ctx.save` or the draft of a hook has led to names
 * every field to a handler that catches it; here it loses what is about fields that the client does not see. If nothing
 * else is left, it is a plain Error with everything: no request of this client could be better, so that it is a mistake
 * of the application (500).
 *
 * Whatever writes an error for a client asks this: `problems()`, the members of a batch, a stream, a result.
 */
export function asTold(ctx: Context, error: unknown): unknown {
  if (!isProblem(error)) return error;
  const problem = retold(error, (model, name) => isSeen(seenOrNarrowest(ctx, model as CompiledModel).root, { ways: [name.split('.')] }));
  const { errors = [] } = problem;
  if (!errors.some(subjectOf)) return problem;
  const told = errors.map((one) => tell(ctx, one, problem));
  if (told.every((one, index) => one === errors[index])) return problem;
  const left = told.filter((one) => one !== undefined && one !== unnamed);
  if (left.length === 0 && isOfStore(problem) && !told.includes(unnamed)) return untold(problem, errors);
  return withErrors(problem, errors, left);
}

/** Stands for a field that the client sees, and that a conflict does not name to it. */
const unnamed = Symbol('unnamed');

function tell(ctx: Context, error: FieldError, { code }: Problem): FieldError | typeof unnamed | undefined {
  const subject = subjectOf(error);
  if (!subject) return error;
  const model = subject.model as CompiledModel;
  const told = tellIn(seenOrNarrowest(ctx, model).root, error, subject) ?? notesOf(error).instead;
  if (!told || code !== 'duplicate_key') return told;
  const mayName = subject.mayName ?? mayNameIn(ctx, model);
  return mayName(subject.ways[0]?.join('.') ?? '') ? told : unnamed;
}

/** Whether a problem is as a store has thrown it. One of the application's own keeps its status, whatever it loses. */
function isOfStore({ code }: Problem): boolean {
  return code === 'validation_failed' || code === 'duplicate_key';
}

function untold(problem: Problem, errors: readonly FieldError[]): Error {
  const [subject] = errors.flatMap((error) => subjectOf(error) ?? []);
  const sentence = subject?.sentence ?? `A write of ${subject?.model.name} is refused for fields that its client does not see`;
  return new Error(`${sentence}: ${describeErrors(errors)}.`, { cause: problem });
}

function withErrors(problem: Problem, before: readonly FieldError[], errors: readonly FieldError[]): Problem {
  const { status, code, title, type, headers, cause } = problem;
  const isCounted = problem.detail === validationFailed(before).detail;
  const detail = isCounted ? validationFailed(errors).detail : problem.detail;
  return new Problem({ status, code, title, type, detail, headers, cause, ...(errors.length > 0 && { errors }) });
}
