import type { Problem } from '../../errors.ts';

/** Whether the client of a request sees a field of a model, by its dotted name. */
type SeesField = (model: object, name: string) => boolean;

type Retell = (sees: SeesField) => Problem;

const retellings = new WeakMap<Problem, Retell>();

/** Notes how a problem whose detail names fields is told to a client. Returns the problem. */
export function retellBy(problem: Problem, retell: Retell): Problem {
  retellings.set(problem, retell);
  return problem;
}

/** A problem as a client is told it. The same problem if its detail names no field. */
export function retold(problem: Problem, sees: SeesField): Problem {
  return retellings.get(problem)?.(sees) ?? problem;
}
