import { operatorDef } from '../../model/operators/operators.ts';
import { isUnasked } from './filter-of.ts';
import { all, type Comparison, everyRecord, type Filter, fulfilling, joined, type Predicate, type PredicateNode } from './predicate.ts';
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

/** Whether a part of a predicate has the database look at each record that fulfils all else. */
export function scans(predicate: Predicate): boolean {
  const node = nodeOf(predicate);
  switch (node?.kind) {
    case 'condition':
      return isScan(node.condition);
    case 'conditions':
      return node.of.some(isScan);
    case 'both':
      return scans(node.first) || scans(node.second);
    case 'and':
    case 'or':
      return node.of.some(scans);
    case 'not':
    case 'item':
      return scans(node.of);
    default:
      return false; // what related records fulfil does not
  }
}

/** Whether a comparison has the database look at each record that fulfils all else. */
export function isScan({ operator }: Comparison): boolean {
  return operatorDef(operator).scans === true;
}

/**
 * The records that are looked at for what {@link scans}: those that fulfil all else. Of alternatives, negations and
 * items that have a part of it, these are all.
 */
export function lookedAt(predicate: Predicate): Predicate {
  const node = nodeOf(predicate);
  if (!node || !scans(node)) return predicate;
  switch (node.kind) {
    case 'conditions':
      return fulfilling(node.of.filter((one) => !isScan(one)));
    case 'both':
      return all(lookedAt(node.first), lookedAt(node.second));
    case 'and':
      return joined('and', node.of.map(lookedAt));
    default:
      return everyRecord;
  }
}
