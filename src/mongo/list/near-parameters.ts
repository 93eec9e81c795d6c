import type { Document as BsonDocument } from 'mongodb';
import type { ErrorSink } from '../../http/query-errors.ts';
import type { QueryParameter } from '../../http/query-string.ts';
import { nearPolicy } from '../../model/compile/near-key.ts';
import { grantOf } from '../../model/compile/policy-key.ts';
import type { QueryField, QueryFields } from '../../model/compile/query-fields.ts';
import type { Predicate } from '../predicate/predicate.ts';

/** The parameter that finds the records around a place. */
export const nearName = 'near';

/** The parameter by which clients ask how far away each record is. */
export const distancesName = 'distances';

/** The parameters of a list with such a point. No filterable field may have such a name. */
export const nearParameters = [nearName, distancesName] as const;

/** The records around a place, nearest first. */
export interface Near {
  /** What the records within the circle fulfil. */
  readonly within: Predicate;
  /** The options of `$geoNear`, but for what else the records fulfil. */
  readonly nearest: BsonDocument;
  /** Whether the answer says how far away each record is. */
  readonly showsDistances: boolean;
}

/** The parameters of a list without those of `near`, and what these ask for. */
export interface NearAsked {
  readonly near: Near | undefined;
  readonly others: readonly QueryParameter[];
}

/** Reads the parameters of `near`: a part of the parser that only requests with such a parameter load. */
export type ReadNear = (parameters: readonly QueryParameter[], errors: ErrorSink) => NearAsked;

/** The points around which a list finds records. */
export function nearPoints(fields: QueryFields): readonly QueryField[] {
  return [...fields.values()].filter((field) => grantOf(field, nearPolicy) !== undefined);
}

/** Whether a request has a parameter of `near`. */
export function asksNear(parameters: readonly QueryParameter[]): boolean {
  return parameters.some(({ name }) => name === nearName || name === distancesName);
}
