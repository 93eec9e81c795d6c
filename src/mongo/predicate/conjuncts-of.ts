import { isUnasked } from './filter-of.ts';
import type { Comparison, Filter, Predicate, PredicateNode } from './predicate.ts';
import { nodeOf } from './row-scope.ts';

/** A part of a predicate: a node that is no conjunction, or an opaque filter. */
export type Conjunct = Exclude<PredicateNode, { readonly kind: 'both' }> | Opaque;

/** A filter of which only the database knows what it means. */
interface Opaque {
  readonly kind: 'opaque';
  readonly filter: Filter;
}

/** The parts of a predicate, all of which a record fulfils. */
export function conjunctsOf(predicate: Predicate | undefined): Conjunct[] {
  const node = predicate && nodeOf(predicate);
  if (node?.kind === 'both') return [...conjunctsOf(node.first), ...conjunctsOf(node.second)];
  if (node?.kind === 'and') return node.of.flatMap(conjunctsOf);
  if (node) return node.kind === 'conditions' && node.of.every(isUnasked) ? [] : [node];
  return predicate && Object.keys(predicate).length > 0 ? [{ kind: 'opaque', filter: predicate as Filter }] : [];
}

/** What a part says, as a predicate. */
export function asPredicate(part: Conjunct): Predicate {
  return part.kind === 'opaque' ? part.filter : part;
}

/** The comparisons that a record fulfils which fulfils a part: none of alternatives, negations and opaque filters. */
export function comparisonsOf(part: Conjunct): readonly Comparison[] {
  switch (part.kind) {
    case 'conditions':
      return part.of.filter((one) => !isUnasked(one));
    case 'condition':
      return isUnasked(part.condition) ? [] : [part.condition];
    case 'own':
      return part.is.comparisons;
    default:
      return [];
  }
}
