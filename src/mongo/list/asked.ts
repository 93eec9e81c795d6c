import type { Document as BsonDocument } from 'mongodb';
import type { ErrorSink } from '../../http/query-errors.ts';
import type { QueryParameter } from '../../http/query-string.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { isScan, scans } from '../predicate/conjuncts-of.ts';
import type { Filter } from '../predicate/predicate.ts';
import { type Bound, tooMany } from '../query/bound.ts';
import type { StoredRecord } from '../stored-record.ts';
import type { Finding, Matching } from '../through/plan-through.ts';
import type { Paging } from './parse-paging.ts';

/**
 * Reads the parameters of a plug-in, which are `own`: those of a list, or of what tells of one without its pages.
 */
export type ReadParameters = (
  given: { readonly own: readonly QueryParameter[]; readonly others: readonly QueryParameter[] },
  rules: PluginRules,
  errors: ErrorSink,
) => FurtherRead;

/** Reads the parameters of all plug-ins that a request has. */
export type ReadFurther = (errors: ErrorSink) => FurtherRead;

/** What those know who read the parameters of plug-ins. */
export interface PluginRules {
  /** Undefined for what has no pages. */
  readonly paging?: Paging;
  /** Whether the list is answered whole. @default false */
  readonly isWhole?: boolean;
  /** Whether its first page is kept true. @default false */
  readonly isLive?: boolean;
}

/** What the parameters of plug-ins ask for, and the others of the request. */
export interface FurtherRead {
  readonly asked: Asked | undefined;
  readonly others: readonly QueryParameter[];
}

/** What the parameters of a plug-in ask for. */
export interface Asked extends Finding {
  /** The order of the records where the request names no `sort`: then the list is one page. */
  readonly order?: OwnOrder;
  /** A text that two requests have only if they find the same. Without it, the list has no cursors: it is one page. */
  readonly text?: string;
  /** The most matches that may be in another order than `order`. */
  readonly bound?: Bound;
}

/** In which order a key is sorted: also by how well a record matches a text. */
export type Direction = 1 | -1 | { readonly $meta: 'textScore' };

/** An order that is no sort by fields. */
export interface OwnOrder {
  readonly by: readonly (readonly [key: string, direction: Direction])[];
  /** The keys among these that are read with each record. */
  readonly keys: readonly string[];
  /** The stages that find the records that fulfil a filter, in this order, in the place of a `$match`. */
  find?(filter: Filter): readonly BsonDocument[];
  /** The stages that compute the keys of all matches, which are then sorted. */
  readonly compute?: readonly BsonDocument[];
  /** The records that are there for a command that has failed: none, or it throws. */
  recover?(error: unknown, model: CompiledModel): StoredRecord[];
  /** What `page` of the answer tells of its records, beside what every page does. */
  describe?(records: readonly StoredRecord[]): object;
}

/** The bound of what looks at each record that fulfils all else. Undefined if nothing of it does. */
export function boundOfScan({ conditions, filter }: Pick<Matching, 'conditions' | 'filter'>, max: number): Bound | undefined {
  if (!conditions.some(isScan) && !(filter && scans(filter))) return undefined;
  return { max, exceeded: () => tooMany(max, ' all but `contains`', 'to be looked at', 'Narrow the list by other filters.') };
}
