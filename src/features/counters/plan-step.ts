import type { Document as BsonDocument } from 'mongodb';
import { validationFailed } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { CompiledField, LeafNode } from '../../model/node.ts';
import { operatorDef } from '../../model/operators/operators.ts';
import { compileShownValue } from '../../model/shown-value.ts';
import { isDecimal128 } from '../../model/value/bson-type.ts';
import { intLeaf } from '../../model/value/number-leaves.ts';
import type { Changes } from '../../model/write/plan-changes.ts';
import type { WritePlan } from '../../mongo/collection/write-plan.ts';
import type { Target } from '../../mongo/collection/writer.ts';
import type { Condition } from '../../mongo/predicate/predicate.ts';
import { requireRecordWithin } from '../../mongo/query/require-within.ts';
import { buildUpdate } from '../../mongo/query/update-pipeline.ts';
import { Invalid } from '../../rules.ts';

/** A step of a counter. */
export interface CounterStep {
  readonly field: CompiledField;
  /** What is added: an integer within the safe range. */
  readonly add: number;
  /** Values of the server that are written together with it. */
  readonly changes: Changes;
}

/**
 * Plans to add to a counter, with a step of the revision. 422 if the sum would not be a value of the field, or would
 * move the record out of the scope.
 */
export function planStep(model: CompiledModel, target: Target, { field, add, changes }: CounterStep): WritePlan {
  if (changes.assignments.some(({ path }) => path === field.key))
    throw new Error(`\`${field.name}\` of ${model.name} is stepped, and a hook or \`serverFields\` set it in the same write.`);
  const { writer } = target;
  const show = compileShownValue(field);
  const own = (writer?.writeScope ?? []).filter((condition) => condition.field.path === field.key);
  const value = { $ifNull: [`$${field.key}`, show({})] };
  const next = { $add: [{ $toLong: value }, BigInt(add)] };
  return {
    kind: 'step',
    target,
    changes,
    where: { $expr: mayStep(value, BigInt(add), field, own) },
    build: (now) => buildUpdate(model, changes, now, { [field.key]: next }),
    explain(stored) {
      const after = asInteger(show(stored), field, model) + BigInt(add);
      const wrong = errorOf(after, field);
      if (wrong) throw validationFailed([wrong.at(field.name)]);
      if (writer) requireRecordWithin({ ...writer, writeScope: own }, { [field.key]: after });
      return false;
    },
  };
}

/**
 * The expression that an integer is stored which is still one of the field, and within the scope, after the step. The
 * bounds are moved instead of the value, so that no sum can leave the 64 bits that the database adds with.
 */
function mayStep(value: BsonDocument, add: bigint, field: CompiledField, own: readonly Condition[]): BsonDocument {
  const { least, greatest } = boundsOf(field);
  const conditions = [
    { $eq: [{ $trunc: value }, value] },
    { $gte: [value, least - add] },
    { $lte: [value, greatest - add] },
    ...own.map(({ operator, value: operand }) => operatorDef(operator).ofNumber?.({ $add: [value, add] }, operand)),
  ];
  return { $cond: [{ $isNumber: value }, { $and: conditions }, false] };
}

/** The least and the greatest integer that the field takes. */
function boundsOf({ node }: CompiledField): { readonly least: bigint; readonly greatest: bigint } {
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = (node as LeafNode).keywords as Record<string, number>;
  return {
    least: BigInt(Math.max(Math.ceil(minimum), Number.MIN_SAFE_INTEGER)),
    greatest: BigInt(Math.min(Math.floor(maximum), Number.MAX_SAFE_INTEGER)),
  };
}

/** The value that a record shows. Another program may have stored something else, which nobody can step. */
function asInteger(shown: unknown, { name }: CompiledField, model: CompiledModel): bigint {
  if (typeof shown === 'bigint') return shown;
  const number = isDecimal128(shown) ? Number(String(shown)) : shown;
  if (typeof number === 'number' && Number.isInteger(number)) return BigInt(number);
  throw new Error(`A record of ${model.name} has a \`${name}\` that is no integer, so that it cannot be stepped.`);
}

/** Why the field does not take a value. */
function errorOf(value: bigint, { constraint }: CompiledField): Invalid | undefined {
  const number = Number(value);
  const read = Number.isSafeInteger(number) ? number : intLeaf.fromJson(value);
  return constraint?.(number) ?? (read instanceof Invalid ? read : undefined);
}
