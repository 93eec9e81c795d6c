import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { comparisonsOf, conjunctsOf } from '../predicate/conjuncts-of.ts';
import { amongIds, bringing, type Comparison, type Predicate } from '../predicate/predicate.ts';

/** What the parameter `q` asks for. */
export interface Search {
  /** What a cursor is bound to, and what an engine outside of the database gets. */
  readonly text: string;
  /** The words and phrases that the text index looks for. Undefined if an engine outside of the database searches. */
  readonly terms?: readonly string[];
  /** The ids that such an engine has found, the best first. */
  readonly ids?: readonly unknown[];
  /** The most matches that are sorted by something else than relevance. */
  readonly maxMatches: number;
}

/**
 * What the records fulfil that match. Each term stands in quotes: the database then requires all of them, and reads
 * none as an operator, such as the `-` that excludes a word. No term has a quote.
 */
export function searched({ terms = [], ids }: Search): Predicate {
  if (ids) return amongIds(ids);
  return bringing({ filter: { $text: { $search: terms.map((term) => `"${term}"`).join(' ') } }, comparisons: [] });
}

/**
 * Throws a plain Error (500) if a scope does not compare each field that the text index begins with with one value. The
 * database would refuse the query.
 */
export function requireFixedScope({ name, search }: Pick<CompiledModel, 'name' | 'search'>, scope: Predicate | undefined): void {
  const open = search?.scopeFields.find(({ path }) => !fixes(scope, path));
  if (!open) return;
  throw new Error(
    `The scope of this request does not compare \`${open.name}\` with one value, as \`search.scopeFields\` of ${name} promises: the text index begins with it. Leave it out of \`search.scopeFields\`, or do without this scope where clients search.`,
  );
}

/** Whether records of a scope have one value at a path. An opaque scope may say so: the database will know. */
function fixes(scope: Predicate | undefined, path: string): boolean {
  return conjunctsOf(scope).some(
    (part) => part.kind === 'opaque' || comparisonsOf(part).some((one) => one.field.path === path && isOneValue(one)),
  );
}

function isOneValue({ operator, value }: Comparison): boolean {
  return operator === 'eq' || (operator === 'in' && (value as readonly unknown[]).length === 1);
}
