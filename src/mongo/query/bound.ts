import { Problem } from '../../errors.ts';

/** The most records that a list may work with. */
export interface Bound {
  readonly max: number;
  /** 422: there are more. */
  exceeded(): Problem;
}

/** 422: more records match than may be looked at. `what` says by which parameter, and `purpose` for what. */
export function tooMany(max: number, what: string, purpose: string, hint: string): Problem {
  const records = max === 1 ? 'one record matches' : `${max} records match`;
  return new Problem({ code: 'too_many_matches', detail: `More than ${records}${what}, too many ${purpose}. ${hint}` });
}
