import type { ComparisonSign, FilterSyntax, Literal } from '../../filter/syntax.ts';
import type { QueryField } from '../../model/compile/query-fields.ts';
import { type Operator, operatorDef } from '../../model/operators/operators.ts';
import { Invalid } from '../../rules.ts';
import { type ConditionLimits, castOne, castSoughtText, isOfOrder, notNull, tooManyValues } from './parse-conditions.ts';

/** A condition on one field, as it is written. */
export type ConditionSyntax = Extract<FilterSyntax, { readonly kind: 'compare' | 'in' | 'call' }>;

const operatorOf: Readonly<Record<ComparisonSign, Operator>> = { '=': 'eq', '!=': 'ne', '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' };

/** The operator of a condition. */
export function operatorIn(syntax: ConditionSyntax): Operator {
  if (syntax.kind === 'in') return 'in';
  return syntax.kind === 'compare' ? operatorOf[syntax.operator] : (syntax.name as Operator); // one that is called
}

/** Casts the literals of a condition as the values of a parameter are cast. */
export function castOperandOf(syntax: ConditionSyntax, field: QueryField, limits: ConditionLimits): unknown {
  switch (syntax.kind) {
    case 'compare':
      return castLiteral(syntax.value, field, operatorIn(syntax));
    case 'in':
      return syntax.values.length > limits.maxFilterValues ? tooManyValues(limits) : castAll(syntax.values, field);
    case 'call':
      return syntax.value ? castText(syntax.value, operatorIn(syntax), field, limits) : true; // the opposite is NOT
  }
}

function castText({ text }: Literal, operator: Operator, field: QueryField, limits: ConditionLimits): unknown {
  return typeof text === 'string' ? castSoughtText(field, operator, text, limits) : ''; // for a blank
}

function castAll(literals: readonly Literal[], field: QueryField): unknown {
  const values = literals.map((literal) => castLiteral(literal, field, 'in'));
  return values.find((value) => value instanceof Invalid) ?? values;
}

function castLiteral({ text }: Literal, field: QueryField, operator: Operator): unknown {
  if (text === undefined) return undefined;
  if (text !== null) return castOne(field, text, operator);
  return field.nullable && !isOfOrder(operator) ? null : notNull;
}

/** Whether a filter compares one value, by each operator once: only so can the database ask it of one item. */
export function isOfOneValue(syntax: FilterSyntax): boolean {
  const parts = syntax.kind === 'and' ? syntax.of : [syntax];
  const operators = parts.map((part) =>
    part.kind === 'compare' || part.kind === 'in' || part.kind === 'call' ? operatorIn(part) : undefined,
  );
  const isAsked = operators.every((operator) => operator !== undefined && operatorDef(operator).asks !== 'the field');
  return isAsked && new Set(operators.map((one) => (one && operatorDef(one).text ? 'text' : one))).size === operators.length;
}
