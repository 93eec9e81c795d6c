import type { Document as BsonDocument } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { living } from '../lifecycle/within.ts';
import { expressionOf } from '../predicate/expression-of.ts';
import { filterOf } from '../predicate/filter-of.ts';
import type { Predicate } from '../predicate/predicate.ts';
import type { SortKey } from '../query/position.ts';
import { type Reachable, reachable } from './reachable.ts';
import { isThrough, type Sight, type ThroughField, type ThroughStep } from './through-field.ts';
import { lookUp, temporaryKey } from './through-stages.ts';

/** A sort in which values of related records are computed. */
export interface ComputedSort {
  /** The sort, in which a related field is the temporary key that holds its value. */
  readonly sort: readonly SortKey[];
  /** The stages that compute the temporary keys. */
  readonly stages: readonly BsonDocument[];
}

/** Computes a sort by fields of related records. */
export function computeSort(sort: readonly SortKey[], model: CompiledModel, sight: Sight): ComputedSort {
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
function computeValue(field: ThroughField, as: string, sight: Sight): BsonDocument[] {
  const seen = field.steps.map(({ source }) => reachOf(source, sight));
  if (!seen.every((one) => one !== undefined)) return [{ $set: { [as]: { $literal: null } } }];
  return lookUpPlainly(field, as, seen) ?? lookUpWithin(field, as, seen);
}

/** Which records of a source a relation can lead to. Undefined if it shows none. */
function reachOf(source: ThroughStep['source'], sight: Sight): Reachable | undefined {
  const scope = sight.get(source);
  return scope && reachable(living(source.model, scope));
}

/**
 * Looks up by the id alone, and then drops what is out of sight. An inner pipeline, which MongoDB starts again for each
 * record, takes eight times as long. Undefined if one of them has no expression.
 */
function lookUpPlainly({ steps, path }: ThroughField, as: string, seen: readonly Predicate[]): BsonDocument[] | undefined {
  const tests = seen.map((one) => expressionOf(one, '$$this'));
  if (!tests.every((test) => test !== undefined)) return undefined;
  const keys = steps.map((_step, index) => (index === steps.length - 1 ? as : `${as}_${index}`));
  const further = keys.slice(0, -1);
  const stages = steps.flatMap((step, index) => {
    const [key = as, before] = [keys[index], keys[index - 1]];
    const from = before === undefined ? step.path : `${before}.${step.path}`;
    return [lookUp({ ...step, path: from }, [], key), { $set: { [key]: { $filter: { input: `$${key}`, cond: tests[index] } } } }];
  });
  const value = further.reduceRight(
    (last: unknown, key) => onlyOne(key, last),
    onlyOne(as, orNull({ $arrayElemAt: [`$${as}.${path}`, 0] })),
  );
  return [...stages, { $set: { [as]: value } }, ...(further.length > 0 ? [{ $unset: further }] : [])];
}

/** Looks up within the filter of each source. */
function lookUpWithin({ steps, path }: ThroughField, as: string, seen: readonly Predicate[]): BsonDocument[] {
  const pipelineOf = (index: number): BsonDocument[] => {
    const match = { $match: filterOf(seen[index] as Predicate) };
    const next = steps[index + 1];
    if (!next) return [match, project(orNull(`$${path}`))];
    const inner = temporaryKey((steps[index] as ThroughStep).source.model, 0);
    return [match, lookUp(next, pipelineOf(index + 1), inner), project(valueWithin(inner))];
  };
  return [lookUp(steps[0], pipelineOf(0), as), { $set: { [as]: valueWithin(as) } }];
}

function project(value: unknown): BsonDocument {
  return { $project: { value } };
}

/** The value that a `$lookup` with a pipeline has found. */
function valueWithin(as: string): BsonDocument {
  return onlyOne(as, orNull({ $arrayElemAt: [`$${as}.value`, 0] }));
}

/**
 * The value of the only record that a `$lookup` has found. If the field of a single reference is stored as an array
 * that leads to several records, it is an array: such a record has no place in the order, and its page is refused.
 */
function onlyOne(as: string, value: unknown): BsonDocument {
  return { $cond: [{ $gt: [{ $size: `$${as}` }, 1] }, `$${as}._id`, value] };
}

function orNull(value: unknown): BsonDocument {
  return { $ifNull: [value, null] };
}
