import type { Document as BsonDocument } from 'mongodb';
import { operatorDef } from '../../model/operators/operators.ts';
import { type Conjunct, conjunctsOf } from './conjuncts-of.ts';
import { isUnasked, operandOf, pathOf } from './filter-of.ts';
import type { Comparison, Predicate } from './predicate.ts';

/**
 * Writes a predicate as an expression about a document that a variable holds, such as `$$this`: true exactly if the
 * filter matches. Undefined for what has no short expression: alternatives, dotted paths, and most operators.
 */
export function expressionOf(predicate: Predicate, variable: string): BsonDocument | undefined {
  return allOf(conjunctsOf(predicate).flatMap((part) => expressionsOf(part, variable)));
}

function expressionsOf(part: Conjunct, variable: string): (BsonDocument | undefined)[] {
  switch (part.kind) {
    case 'conditions':
      return part.of.flatMap((one) => (isUnasked(one) ? [] : [compare(one, variable)]));
    case 'condition':
      return isUnasked(part.condition) ? [] : [compare(part.condition, variable)];
    case 'own':
      return [part.is.expression?.(variable)];
    default:
      return [undefined];
  }
}

function compare(comparison: Comparison, variable: string): BsonDocument | undefined {
  const path = pathOf(comparison);
  if (path.includes('.')) return undefined;
  return operatorDef(comparison.operator).ofField?.(`${variable}.${path}`, operandOf(comparison));
}

function allOf(parts: readonly (BsonDocument | undefined)[]): BsonDocument | undefined {
  if (parts.includes(undefined)) return undefined;
  return parts.length === 1 ? parts[0] : { $and: parts };
}
