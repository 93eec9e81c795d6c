import type { ComparisonSign } from '../../filter/syntax.ts';
import type { QueryField } from '../../model/compile/query-fields.ts';
import { Invalid } from '../../rules.ts';
import { compare, joined, not } from '../predicate/predicate.ts';
import type { Expression } from '../through/expression.ts';

const notAsked = new Invalid('not_comparable', 'needs a condition: its policy does not open whether it has items, by `exists`');

/** Why the items of an array cannot be counted. */
export function refuseCount(field: QueryField, array: string | undefined): Invalid | undefined {
  if (!field.operators.has('exists')) return notAsked;
  if (!field.array?.hasPositions) return new Invalid('not_comparable', 'has items that have no number of their own');
  if (field.array.within === array) return undefined;
  return new Invalid('not_comparable', 'lies in another array: write any(…) about its items');
}

/** What a record fulfils that has so many items in an array, or more: there is one at their last position. */
export function hasItems(field: QueryField, { name, path }: { readonly name: string; readonly path: string }, least: number): Expression {
  const at = `.${least - 1}`;
  const exact = field.caseless?.exactPath ?? path;
  return compare({ field: { ...field, name: name + at, path: exact + at, caseless: undefined }, operator: 'exists', value: true });
}

/**
 * The comparison of a number of items or records with another one. `least` asks for so many of them, or more. Undefined
 * if every record fulfils it, or none.
 */
export function countIs(operator: ComparisonSign, number: number, least: (n: number) => Expression): Expression | undefined {
  switch (operator) {
    case '>=':
      return number > 0 ? least(number) : undefined;
    case '<':
      return number > 0 ? not(least(number)) : undefined;
    case '>':
      return least(number + 1);
    case '<=':
      return not(least(number + 1));
    case '=':
      return number > 0 ? joined('and', [least(number), not(least(number + 1))]) : not(least(1));
    case '!=':
      return number > 0 ? not(joined('and', [least(number), not(least(number + 1))])) : least(1);
  }
}
