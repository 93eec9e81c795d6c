import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { QueryField } from '../../model/compile/query-fields.ts';
import type { Work } from '../driver/work.ts';
import type { Condition, Predicate } from '../predicate/predicate.ts';
import type { SortKey } from '../query/position.ts';
import type { RelatedQuery } from './through-stages.ts';

/** The reads that the filters and sorts of a list need on the collection of a relation. */
export interface ThroughReads {
  /**
   * Finds the ids of the records of a query, and takes their bytes from the room. With `via`, the ids to which these
   * records refer. Undefined if there is not enough room.
   */
  findIdsThrough(query: RelatedQuery, room: IdRoom, work: Work, via?: Via): Promise<readonly unknown[] | undefined>;
  /** Counts the records of a query by the ids to which they refer. Undefined if more than `max` match. */
  countThrough(query: RelatedQuery, via: Via, max: number, work: Work): Promise<readonly ReferredId[] | undefined>;
}

/** An id, and how many records refer to it. */
export interface ReferredId {
  readonly id: unknown;
  readonly records: number;
}

/** The field by which the records of a relation by `t.hasMany` refer back. */
export interface Via {
  /** Its name. */
  readonly field: string;
  /** Its stored path. */
  readonly path: string;
  /** The BSON types that its ids have. */
  readonly idTypes: readonly string[];
}

/** The room for ids of related records in the command of a list. */
interface IdRoom {
  /** The most ids of one relation. */
  readonly ids: number;
  /** How many bytes are left for the ids of all relations together. */
  bytes: number;
}

/** The records to which a relation leads, as one resource shows them. */
interface ThroughSource {
  readonly model: CompiledModel;
  readonly collection: ThroughReads;
}

/** A relation on the way from a list to a field. Fields behind the same relations share the objects of their steps. */
export interface ThroughStep<S extends ThroughSource = ThroughSource> {
  /** The name of the relation. */
  readonly name: string;
  /** The name of the field that holds the ids: the id itself for a relation by `t.hasMany`. */
  readonly field: string;
  /** The stored path of the ids. */
  readonly path: string;
  /** The field that refers back. Undefined for a reference. */
  readonly via: Via | undefined;
  /** Whether it leads to one record at most. */
  readonly isSingle: boolean;
  readonly source: S;
}

/** A field of a related record that a query string may name: `project.status`. Its path is the one in that record. */
export interface ThroughField<S extends ThroughSource = ThroughSource> extends QueryField {
  /** Its name in the model of the related record. */
  readonly ownName: string;
  /** The relations that lead to it, the first one first. */
  readonly steps: readonly [ThroughStep<S>, ...ThroughStep<S>[]];
}

/** A path of relations that a filter may name, and the fields that it may name behind it. */
export interface ThroughRelation<S extends ThroughSource = ThroughSource> {
  readonly steps: readonly [ThroughStep<S>, ...ThroughStep<S>[]];
  readonly fields: readonly ThroughField<S>[];
}

/** A condition on a field of a related record. */
export interface ThroughCondition extends Condition {
  readonly field: ThroughField;
}

/** Whether a field lies in a related record. */
export function isThrough(field: QueryField): field is ThroughField {
  return 'steps' in field;
}

/** Whether a condition is on a field of a related record. */
export function isConditionThrough(condition: Condition): condition is ThroughCondition {
  return isThrough(condition.field);
}

/** The related records that a client may see: the row filter of each source. A source without one shows no record. */
export type Sight = ReadonlyMap<ThroughSource, Predicate | undefined>;

/** The fields of related records that the query of a list names. */
export function throughFields({ through, sort = [] }: ThroughParts): ThroughField[] {
  return [...through.map(({ field }) => field), ...sort.map(({ field }) => field).filter(isThrough)];
}

/** The parts of a query that may name fields of related records. */
interface ThroughParts {
  readonly through: readonly ThroughCondition[];
  /** @default none */
  readonly sort?: readonly SortKey[];
}

/** How the conditions on related records are planned. */
export interface ThroughSettings {
  /** The model of the list. */
  readonly model: CompiledModel;
  readonly sight: Sight;
  readonly room: IdRoom;
  /** The most related records that are counted. */
  readonly maxCounted: number;
  /** The work of the request. */
  readonly work: Work;
  /** What has been found behind each relation, by the text of the condition: equal ones are asked once. */
  readonly found: Map<ThroughStep, Map<string, Found>>;
  /** The same of those that were counted. */
  readonly counted: Map<ThroughStep, Map<string, readonly ReferredId[]>>;
}

/** What has been found of the related records that fulfil a condition. */
export type Found =
  /** The ids of the relation's field that lead to one. */
  | { readonly ids: readonly unknown[]; readonly query?: undefined }
  /** What they fulfil, if there are too many of these ids. */
  | { readonly ids: undefined; readonly query: RelatedQuery };
