import { anItem, aRelated, joined, not } from '../predicate/predicate.ts';
import { canonicalText, type Expression } from './expression.ts';
import type { ThroughStep } from './through-field.ts';

type OfRelated = Extract<Expression, { readonly kind: 'related' }>;

/**
 * An expression that the same records fulfil, with fewer questions about related records. Equal parts of an `and` or
 * `or` are one. What is asked about one relation is asked together where one related record decides about it:
 * `any(r, a) OR any(r, b)` is `any(r, a OR b)`, `none(r, a) AND none(r, b)` is `none(r, a OR b)`, and for a single
 * reference `r.a AND r.b` is `any(r, a AND b)`.
 */
export function simplify(expression: Expression): Expression {
  switch (expression.kind) {
    case 'condition':
      return expression;
    case 'item':
      return anItem(expression, simplify(expression.of), expression.isValue);
    case 'related':
      return expression.of ? aRelated(expression.step, simplify(expression.of), expression.least) : expression;
    case 'not': {
      const of = simplify(expression.of);
      return of.kind === 'not' ? of.of : not(of);
    }
    default:
      return join(expression.kind, expression.of.map(simplify));
  }
}

/** Joins simple parts. */
function join(kind: 'and' | 'or', given: readonly Expression[]): Expression {
  const parts = given.flatMap((part) => (part.kind === kind ? part.of : [part]));
  const byStep = new Map<ThroughStep, { readonly any: OfRelated[]; readonly none: OfRelated[] }>();
  const others: Expression[] = [];
  for (const part of parts) {
    const related = part.kind === 'not' ? part.of : part;
    if (related.kind !== 'related' || related.least !== 1) {
      others.push(part);
      continue;
    }
    const group = byStep.get(related.step) ?? { any: [], none: [] };
    byStep.set(related.step, group);
    group[related === part ? 'any' : 'none'].push(related);
  }
  const merged = [...byStep.values()].flatMap(({ any, none }) => [
    ...mergeRelated(kind, any),
    ...mergeRelated(kind === 'and' ? 'or' : 'and', none).map((of): Expression => not(of)), // De Morgan
  ]);
  const different = [...new Map([...others, ...merged].map((part) => [canonicalText(part), part])).values()];
  const [first] = different;
  return first && different.length === 1 ? first : joined(kind, different);
}

/** Merges questions about one relation: in an `or`, and in an `and` if the relation leads to one record at most. */
function mergeRelated(kind: 'and' | 'or', all: readonly OfRelated[]): readonly OfRelated[] {
  const [first, ...others] = all;
  if (!first || others.length === 0 || (kind === 'and' && !first.step.isSingle)) return all;
  const conditions = all.flatMap(({ of }) => of ?? []);
  const asksForAny = kind === 'or' && conditions.length < all.length; // `any(r)` holds wherever `any(r, a)` does
  return [aRelated(first.step, asksForAny || conditions.length === 0 ? undefined : join(kind, conditions))];
}

/** How many different questions about related records an expression has: each may be a command. */
export function countRelated(expression: Expression): number {
  const known = new Map<ThroughStep, Set<string>>();
  const visit = (part: Expression): void => {
    if (part.kind === 'and' || part.kind === 'or') for (const one of part.of) visit(one);
    else if (part.kind === 'not') visit(part.of);
    else if (part.kind === 'related') {
      const text = `${part.least > 1 ? 'count ' : ''}${part.of ? canonicalText(part.of) : ''}`; // one command for all numbers
      known.set(part.step, (known.get(part.step) ?? new Set()).add(text));
      if (part.of) visit(part.of);
    }
  };
  visit(expression);
  return [...known.values()].reduce((sum, texts) => sum + texts.size, 0);
}
