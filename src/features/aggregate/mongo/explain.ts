import { invalidQuery, isProblem, Problem } from '../../../errors.ts';
import { isServerError, serverCodes } from '../../../mongo/driver/server-error.ts';
import { notTimeZone } from './parse-aggregate.ts';

/** The problem of an aggregate of which too many records match: groups change nothing of that. */
export function tooManyRecords(maxMatches: number): Problem {
  return new Problem({ code: 'too_many_matches', detail: `More than ${maxMatches} records match: narrow the list by filters.` });
}

/** The problem of an aggregate whose groups would be too many, or too large. */
export function tooMany(what: string): Problem {
  return new Problem({ code: 'too_many_matches', detail: `${what}: narrow the list by filters, or group it by fewer fields.` });
}

/** The codes for memory that a stage lacks, or one of its groups. */
const memoryCodes: ReadonlySet<number> = new Set([
  serverCodes.exceededMemoryLimit,
  serverCodes.queryExceededMemoryLimit,
  serverCodes.windowExceededMemoryLimit,
]);

/** What clients are told of an error of the database that their query has caused. Any other error stays as it is. */
export function explain(problem: unknown): unknown {
  const error = isProblem(problem) ? problem.cause : problem;
  if (!isServerError(error)) return problem;
  if (error.code === serverCodes.unknownTimeZone) return invalidQuery([notTimeZone.at('timezone')]);
  if (memoryCodes.has(error.code)) return tooMany('The groups would take more memory than the database gives them');
  return problem;
}
