import { operatorDef } from '../../model/operators/operators.ts';
import { type Comparison, type Filter, isNode, isOpen, type Predicate, type PredicateNode } from './predicate.ts';

/**
 * Builds a filter that matches if all conditions do. Conditions on the same field are merged:
 * `{ total: { $gte: 5, $lt: 9 } }`.
 */
export function buildFilter(conditions: readonly Comparison[]): Filter {
  const filter: Record<string, Record<string, unknown>> = {};
  for (const condition of conditions) {
    if (isUnasked(condition)) continue;
    const { field, operator, value } = condition;
    const path = field.caseless ? pathOf(condition) : field.path;
    const before = filter[path];
    const own = operatorDef(operator).filter(field.caseless ? operandOf(condition) : value);
    filter[path] = before ? { ...before, ...own } : own;
  }
  return filter;
}

/** Whether a comparison is left out, because the database would find texts only, and every record fulfils it. */
export function isUnasked(condition: Comparison): boolean {
  return operatorDef(condition.operator).takes === 'text' && isOpen(condition);
}

/** The stored path that a comparison looks at: that of folded texts, if it ignores case. */
export function pathOf({ field: { path, caseless }, operator }: Comparison): string {
  return caseless && operatorDef(operator).asks === 'the field' ? caseless.exactPath : path;
}

/** What is compared with the value at {@link pathOf}. */
export function operandOf({ field: { caseless }, operator, value }: Comparison): unknown {
  return caseless && operatorDef(operator).asks !== 'the field' ? fold(caseless.fold, value) : value;
}

function fold(foldText: (text: string) => string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => fold(foldText, one));
  return typeof value === 'string' ? foldText(value) : value;
}

/** The filter of a predicate, for a command. The application's own filters are known from now on. */
export function filterOf(predicate: Predicate): Filter {
  return isNode(predicate) ? filterOfNode(predicate) : predicate;
}

function filterOfNode(node: PredicateNode): Filter {
  switch (node.kind) {
    case 'conditions':
      return buildFilter(node.of);
    case 'both':
      return both(filterOf(node.first), node.second);
    case 'own':
      return node.is.filter;
    case 'condition':
      return buildFilter([node.condition]);
    case 'and':
      return { $and: node.of.map(filterOf) };
    case 'or':
      return { $or: node.of.map(filterOf) };
    case 'not':
      return { $nor: [filterOf(node.of)] };
    case 'item':
      return { [node.path]: { $elemMatch: node.isValue ? operatorsOf(node.of) : filterOf(node.of) } };
    case 'related':
      throw new Error('What related records fulfil is planned before it becomes a filter.');
  }
}

/** The operators that an item which is a value must match. An empty text asks for nothing. */
function operatorsOf(of: Predicate): Filter {
  const parts = isNode(of) && of.kind === 'and' ? of.of : [of];
  return Object.assign({ $exists: true }, ...parts.map((part) => filterOf(part)['']));
}

/**
 * A filter that matches if this one and a predicate do. They are merged if they share no key: a lookup by `_id` stays
 * the cheapest kind of query.
 */
export function both(first: Filter, predicate: Predicate | undefined): Filter {
  if (predicate === undefined) return first;
  const second = filterOf(predicate);
  for (const key in second) if (key in first) return { $and: [first, second] };
  return Object.assign({}, first, second); // of many shapes: a spread would take seven times as long
}
