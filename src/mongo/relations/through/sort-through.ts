import type { Document as BsonDocument } from 'mongodb';
import type { CompiledModel } from '../../../model/compile/compile-model.ts';
import type { SortKey } from '../../query/position.ts';
import { isThrough, type Sight, type ThroughField, type ThroughStep } from './through-field.ts';
import { lookUp, temporaryKey } from './through-stages.ts';

/** A sort in which values of related records are computed. */
export interface ComputedSort {
  /** The sort, in which a related field is the temporary key that holds its value. */
  readonly sort: readonly SortKey[];
  /** The stages that compute the temporary keys. */
  readonly stages: readonly BsonDocument[];
}

/** Computes a sort by fields of related records. Undefined if the sort has no such field. */
export function computeSort(sort: readonly SortKey[], model: CompiledModel, sight: Sight): ComputedSort | undefined {
  if (!sort.some(({ field }) => isThrough(field))) return undefined;
  const keys = sort.map(({ field, direction }, index) => ({ field, direction, as: temporaryKey(model, index) }));
  return {
    sort: keys.map(({ field, direction, as }) => ({ direction, field: isThrough(field) ? { ...field, path: as } : field })),
    stages: keys.flatMap(({ field, as }) => (isThrough(field) ? computeValue(field, as, sight) : [])),
  };
}

/**
 * The stages that set a key to the value of a related field: null if it is missing, or if there is no such record
 * within sight.
 */
function computeValue({ steps, path }: ThroughField, as: string, sight: Sight): BsonDocument[] {
  const [first] = steps;
  const pipeline = readValue(steps, path, sight);
  return pipeline ? [lookUp(first, pipeline, as), { $set: { [as]: onlyValue(as) } }] : [{ $set: { [as]: { $literal: null } } }];
}

/**
 * The pipeline that reads `{ value }` of the record to which the steps lead. Undefined if one of their sources shows
 * nothing.
 */
function readValue([step, ...further]: readonly ThroughStep[], path: string, sight: Sight): BsonDocument[] | undefined {
  const scope = step && sight.get(step.source);
  if (!scope) return undefined;
  const { model, collection } = step.source;
  const match = { $match: collection.reachable(scope) };
  const [next] = further;
  if (!next) return [match, project(orNull(`$${path}`))];
  const pipeline = readValue(further, path, sight);
  const as = temporaryKey(model, 0);
  return pipeline && [match, lookUp(next, pipeline, as), project(onlyValue(as))];
}

function project(value: unknown): BsonDocument {
  return { $project: { _id: 0, value } };
}

/**
 * The value that a `$lookup` has found. If the field of a single reference is stored as an array that leads to several
 * records, it is all of their values: such a record has no place in the order, and its page is refused.
 */
function onlyValue(as: string): BsonDocument {
  const values = `$${as}.value`;
  return { $cond: [{ $gt: [{ $size: `$${as}` }, 1] }, values, orNull({ $arrayElemAt: [values, 0] })] };
}

function orNull(value: unknown): BsonDocument {
  return { $ifNull: [value, null] };
}
