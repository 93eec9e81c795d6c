import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { isObject } from '../../model/value/plain-object.ts';
import type { Filter } from './filter.ts';

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
 * A filter for the records that match. Each term stands in quotes: the database then requires all of them, and reads
 * none as an operator, such as the `-` that excludes a word. No term has a quote.
 */
export function searchFilter({ terms = [], ids }: Search): Filter {
  return ids ? { _id: { $in: ids } } : { $text: { $search: terms.map((term) => `"${term}"`).join(' ') } };
}

/**
 * Throws a plain Error (500) if a scope does not compare each field that the text index begins with with one value. The
 * database would refuse the query.
 */
export function requireFixedScope({ name, search }: Pick<CompiledModel, 'name' | 'search'>, scope: Filter | undefined): void {
  const open = search?.scopeFields.find(({ path }) => !fixes(scope, path));
  if (!open) return;
  throw new Error(
    `The scope of this request does not compare \`${open.name}\` with one value, as \`search.scopeFields\` of ${name} promises: the text index begins with it. Leave it out of \`search.scopeFields\`, or do without this scope where clients search.`,
  );
}

function fixes(filter: Filter | undefined, path: string): boolean {
  if (!filter) return false;
  const { $and = [] } = filter;
  return (Object.hasOwn(filter, path) && isOneValue(filter[path])) || ($and as readonly Filter[]).some((part) => fixes(part, path));
}

function isOneValue(condition: unknown): boolean {
  if (!isObject(condition) || !Object.keys(condition).some((key) => key.startsWith('$'))) return true;
  const { $in } = condition;
  return '$eq' in condition || (Array.isArray($in) && $in.length === 1);
}
