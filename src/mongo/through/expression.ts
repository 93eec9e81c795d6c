import { BSON } from 'mongodb';
import { operatorDef } from '../../model/operators/operators.ts';
import type { Compare, Condition, Item, Joined, Not, Related } from '../predicate/predicate.ts';
import type { ThroughStep } from './through-field.ts';

/** A compiled `filter`: the predicates that its language can say. */
export type Expression = Compare<Condition> | Joined<Expression> | Not<Expression> | Item<Expression> | Related<ThroughStep, Expression>;

/**
 * The form of an expression that all spellings of it have, as a value of EJSON: nested `and`s and `or`s are one, their
 * parts have an order, and none stands there twice.
 */
export function canonical(expression: Expression): unknown {
  switch (expression.kind) {
    case 'condition': {
      const { field, operator, value } = expression.condition;
      return ['is', field.name, operator, operatorDef(operator).takes === 'values' ? inOrder(value as readonly unknown[]) : value];
    }
    case 'not':
      return expression.of.kind === 'not' ? canonical(expression.of.of) : ['not', canonical(expression.of)];
    case 'item':
      return ['any', expression.name, canonical(expression.of)];
    case 'related':
      return [
        'any',
        expression.step.name,
        expression.of ? canonical(expression.of) : null,
        ...(expression.least > 1 ? [expression.least] : []),
      ];
    default: {
      const [first, ...others] = inOrder(partsOf(expression, expression.kind).map(canonical));
      return others.length === 0 ? first : [expression.kind, first, ...others];
    }
  }
}

/** {@link canonical} as a text: equal for equal expressions about the same records. */
export function canonicalText(expression: Expression): string {
  return exactText(canonical(expression));
}

/** The parts of an `and` or `or`, and of those of the same kind in it. */
function partsOf(expression: Expression, kind: 'and' | 'or'): readonly Expression[] {
  return expression.kind === kind ? expression.of.flatMap((part) => partsOf(part, kind)) : [expression];
}

/** The relaxed form of EJSON would round integers of 64 bits: two different ones would be equal. */
function exactText(value: unknown): string {
  return BSON.EJSON.stringify(value, { relaxed: false });
}

/** The different values, in the order of their texts. */
function inOrder(values: readonly unknown[]): unknown[] {
  const byText = new Map(values.map((value) => [exactText(value), value]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}

/** The relations that an expression names: each with those on the way to it, the first one first. */
export function pathsIn(expression: Expression, before: readonly ThroughStep[] = []): (readonly ThroughStep[])[] {
  switch (expression.kind) {
    case 'condition':
      return [];
    case 'not':
    case 'item':
      return pathsIn(expression.of, before);
    case 'related': {
      const path = [...before, expression.step];
      return [path, ...(expression.of ? pathsIn(expression.of, path) : [])];
    }
    default:
      return expression.of.flatMap((part) => pathsIn(part, before));
  }
}
