import type { Document as BsonDocument } from 'mongodb';
import { validationFailed } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { QueryField } from '../../model/compile/query-fields.ts';
import type { ArrayNode, CompiledField } from '../../model/node.ts';
import { operatorDef } from '../../model/operators/operators.ts';
import type { ShowValue } from '../../model/shown-value.ts';
import type { Changes } from '../../model/write/plan-changes.ts';
import type { WritePlan } from '../../mongo/collection/write-plan.ts';
import type { Target, Writer } from '../../mongo/collection/writer.ts';
import { both } from '../../mongo/predicate/filter-of.ts';
import { isWithin } from '../../mongo/predicate/is-within.ts';
import type { Condition, Filter } from '../../mongo/predicate/predicate.ts';
import { requireRecordWithin } from '../../mongo/query/require-within.ts';
import { buildUpdate } from '../../mongo/query/update-pipeline.ts';

type Stored = Record<string, unknown>;

/** An array of ids of a record, not within an embedded object. */
export interface Elements {
  readonly field: CompiledField & { readonly node: ArrayNode };
  /** The same field, for conditions. */
  readonly query: QueryField;
  /** The array that the field of a stored record shows. */
  readonly show: ShowValue;
}

/** A change of one element of an array. */
interface ElementChange extends Elements {
  readonly kind: 'add' | 'remove';
  /** The element, in stored form. */
  readonly element: unknown;
  /** Values of the server that are written together with the element. */
  readonly changes: Changes;
}

/**
 * Plans to add an element to an array or to remove it, with a step of the revision. If it is there already, or is not
 * there, nothing is written. 422 if the array would have too many or too few items, or if the record would leave the
 * scope.
 */
export function planElement(model: CompiledModel, target: Target, change: ElementChange): WritePlan {
  const { field, show, kind, element, changes } = change;
  const { writer } = target;
  const own = ownConditions(change, writer);
  const list = listOf(change);
  const without = { $filter: { input: list, cond: { $ne: ['$$this', { $literal: element }] } } };
  const next = kind === 'add' ? { $concatArrays: [list, [{ $literal: element }]] } : without;
  if (kind === 'add') requireAddable(change, own, writer);
  return {
    kind: 'element',
    target,
    changes,
    ...(kind === 'add' && { added: { path: field.key, value: [element] } }),
    where: both({ $expr: { $and: conditionsOf(change, list, without) } }, remainsWithin(change, own)),
    build: (now) => buildUpdate(model, changes, now, { [field.key]: next }),
    explain(stored) {
      if (isThere(change, stored) === (kind === 'add')) return true;
      const items = itemsOf(show, stored);
      const left = kind === 'add' ? [...items, element] : items.filter((one) => !isThere(change, { [field.key]: [one] }));
      const wrong = field.constraint?.(left);
      if (wrong) throw validationFailed([wrong.at(field.name)]);
      if (writer) requireRecordWithin({ ...writer, pathField: undefined, writeScope: own }, { [field.key]: left });
      return false;
    },
  };
}

/** The array as an expression: the items that a record shows. */
function listOf({ field, show }: Elements): BsonDocument {
  const value = `$${field.key}`;
  const [none, unset] = [itemsOf(show, { [field.key]: null }), itemsOf(show, {})];
  return {
    $cond: [{ $isArray: value }, value, { $cond: [{ $eq: [{ $type: value }, 'missing'] }, { $literal: unset }, { $literal: none }] }],
  };
}

function itemsOf(show: ShowValue, stored: Stored): readonly unknown[] {
  const items = show(stored);
  return Array.isArray(items) ? items : [];
}

/** Whether the element is in the array. It is compared as the database compares it. */
function isThere({ field, query, show, element }: ElementChange, stored: Stored): boolean {
  return isWithin({ field: query, operator: 'eq', value: element }, { [field.key]: itemsOf(show, stored) });
}

/**
 * The expressions that must be true for the write: otherwise it would change nothing, or leave too many or too few
 * items.
 */
function conditionsOf({ field, kind, element }: ElementChange, list: BsonDocument, without: BsonDocument): BsonDocument[] {
  const { minItems, maxItems } = field.node.keywords as { readonly minItems?: number; readonly maxItems?: number };
  const isIn = { $in: [{ $literal: element }, list] };
  if (kind === 'add') return [{ $not: [isIn] }, ...(maxItems === undefined ? [] : [{ $lt: [{ $size: list }, maxItems] }])];
  return [isIn, ...(minItems === undefined ? [] : [{ $gte: [{ $size: without }, minItems] }])];
}

/** The conditions of the scope that are about the array. */
function ownConditions({ field }: ElementChange, writer: Writer | undefined): Condition[] {
  return (writer?.writeScope ?? []).filter((condition) => condition.field.path === field.key);
}

/** Refuses an element that a record of the scope cannot have. What other elements fulfil, they still do. */
function requireAddable({ field, element }: ElementChange, own: readonly Condition[], writer: Writer | undefined): void {
  const writeScope = own.filter((condition) => !isOfItem(condition) || isNull(condition.value));
  if (writer) requireRecordWithin({ ...writer, pathField: undefined, writeScope }, { [field.key]: [element] });
}

/** Whether a record fulfils a condition as soon as one item of its array does. */
function isOfItem({ operator }: Condition): boolean {
  return operatorDef(operator).asks === 'an item';
}

function isNull(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.includes(null));
}

/** The condition that other elements keep the record within its scope, if the one that is removed does. */
function remainsWithin({ field, kind, element }: ElementChange, own: readonly Condition[]): Filter | undefined {
  if (kind === 'add') return undefined;
  const kept = own.filter((one) => isOfItem(one) && isWithin(one, { [field.key]: [element] }));
  if (kept.length === 0) return undefined;
  const ofOther = ({ operator, value }: Condition) => ({ $elemMatch: { ...operatorDef(operator).filter(value), $ne: element } });
  return { $and: kept.map((one) => ({ [field.key]: ofOther(one) })) };
}
