import type { Document as BsonDocument } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { filterOf } from '../predicate/filter-of.ts';
import type { Predicate } from '../predicate/predicate.ts';
import type { Reachable } from './reachable.ts';

/** Records of a collection that fulfil a predicate and pass the stages. */
export interface ThroughQuery {
  readonly filter: Predicate;
  /** `$lookup`s and the conditions on their results. They leave the record as it is. */
  readonly stages: readonly BsonDocument[];
}

/** Records of a related collection that a relation can lead to. */
export interface RelatedQuery extends ThroughQuery {
  readonly filter: Reachable;
}

/** Where a `$lookup` looks: the path of the ids, the collection of the records, and the field that refers back. */
interface Joined {
  readonly path: string;
  readonly via: { readonly path: string } | undefined;
  readonly source: { readonly model: Pick<CompiledModel, 'collection'> };
}

/**
 * Stages that keep the records for which the relation leads to a record of the query. They read one such record for
 * each.
 */
export function requireThrough(joined: Joined, query: RelatedQuery, model: CompiledModel): BsonDocument[] {
  const as = temporaryKey(model, 0);
  return [lookUpOne(joined, query, as), { $match: { [as]: { $ne: [] } } }, { $unset: as }];
}

/** A `$lookup` that finds at most one record of the query, and nothing of it but its id. */
export function lookUpOne(joined: Joined, { filter, stages }: RelatedQuery, as: string): BsonDocument {
  return lookUp(joined, [{ $match: filterOf(filter) }, ...stages, { $limit: 1 }, { $project: { _id: 1 } }], as);
}

/**
 * A `$lookup` by id, or by the field that refers back, for which the database uses its index. An empty pipeline is left
 * out: it costs.
 */
export function lookUp({ path, via, source }: Joined, pipeline: readonly BsonDocument[], as: string): BsonDocument {
  const by = { from: source.model.collection, localField: path, foreignField: via?.path ?? '_id' };
  return { $lookup: pipeline.length > 0 ? { ...by, pipeline, as } : { ...by, as } };
}

/** A key that no field of the model has. A pipeline may use it for a value of its own. */
export function temporaryKey({ root }: CompiledModel, index: number): string {
  let key = `related_${index}`;
  while (root.fields.some((field) => field.key === key)) key += '_';
  return key;
}
