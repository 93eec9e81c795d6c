import { isProblem, type Problem } from '../errors.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import { describeErrors } from '../model/write/refuse-invalid.ts';
import { isSeen, noteSubject, type Subject, subjectOf } from '../model/write/subject.ts';
import { note, notesOf } from '../rules.ts';
import type { StoreReach } from './limits.ts';

/** Finds the document that an operation was given: that at a place, if it was given several. */
type DocumentAt = (place: string | undefined) => unknown;

/** How the errors of a store are told to whoever uses it. */
export interface Hearing {
  /** What is thrown instead of an error that the values of a document have led to. */
  refused(error: unknown): unknown;
  /** The same of any error of an operation. */
  heard(error: unknown, documentAt?: DocumentAt): Promise<unknown>;
}

/**
 * In a request, a store throws problems that name every field. Each error notes what it is about, so that what is
 * answered is told in the client's view. The application itself gets a plain Error for what no client may hear of.
 */
export function compileHearing(model: CompiledModel, reach: StoreReach | undefined): Hearing {
  const refused = (error: unknown) => (reach || !isProblem(error) ? error : asApplication(error, model));
  return {
    refused,
    async heard(error, documentAt) {
      if (!isProblem(error)) return error;
      noteSubjects(error, { model }, documentAt);
      await reach?.see(model).catch(() => undefined); // a rule that throws: the client is told what every client sees
      return refused(error);
    },
  };
}

/** Notes what the errors of an operation on records of a model are about. */
export function noteSubjects({ errors = [] }: Problem, about: Omit<Subject, 'ways' | 'key'>, documentAt?: DocumentAt): void {
  for (const error of errors) noteSubject(error, about, documentAt?.(notesOf(error).place));
}

/** A plain Error if a document is refused for a private field, or for a key that is no field within one. */
function asApplication(problem: Problem, { root }: CompiledModel): unknown {
  const { errors = [] } = problem;
  const subjects = errors.map(subjectOf);
  const sentence = subjects.find((subject) => subject?.sentence !== undefined)?.sentence;
  if (sentence === undefined || subjects.every((subject) => !subject || isSeen(root, subject))) return problem;
  return new Error(`${sentence}: ${describeErrors(errors)}.`);
}

type Method = (...given: readonly unknown[]) => unknown;

/** Where the methods of a store are given documents. */
const documentIn: Readonly<Record<string, (given: readonly unknown[], place: string | undefined) => unknown>> = {
  create: ([document]) => document,
  createMany: ([documents], place) => (documents as readonly unknown[])[Number(place)],
  save: ([document]) => document,
  update: ([, changes]) => changes,
  updateMany: ([, changes]) => changes,
};

/** The methods of a store, with errors as its user is told them. What they do begins at once, as without it. */
export function hearAll<Store extends object>(store: Store, { heard }: Hearing): Store {
  const hearing = (name: string, method: Method): Method =>
    function run(...given) {
      const result = method(...given);
      if (!(result instanceof Promise)) return result;
      return result.catch(async (error) => {
        throw await heard(error, (place) => documentIn[name]?.(given, place));
      });
    };
  return Object.fromEntries(Object.entries(store).map(([name, method]) => [name, hearing(name, method as Method)])) as Store;
}

/** Notes the places of records in the errors of a write to several: all of its paths begin with one. */
export function notePlaces({ errors = [] }: Problem): void {
  for (const error of errors) if (notesOf(error).place === undefined) note(error, { place: error.field.split('.', 1)[0] ?? '' });
}
