import { listNames, nearest } from '../hints.ts';
import { Invalid } from '../rules.ts';
import type { ErrorSink } from './query-errors.ts';

/**
 * Returns the names in `include` parameters, each once. If names are not allowed, one error is added, for the first of
 * them. It is the same error whether such a relation exists or not.
 *
 * @example
 * parseInclude(['customer', 'author', 'customer'], ['author', 'customer'], errors) // ['customer', 'author']
 */
export function parseInclude(given: readonly string[], allowed: readonly string[], errors: ErrorSink): string[] {
  const names = [...new Set(given)];
  const unknown = names.find((name) => !allowed.includes(name));
  if (unknown === undefined) return names;
  errors.push(describeUnknown(unknown, allowed).at('include'));
  return [];
}

function describeUnknown(name: string, allowed: readonly string[]): Invalid {
  if (allowed.length === 0) return new Invalid('not_available', 'is not available: there are no relations to include here');
  const suggestion = nearest(name, allowed);
  const hint = suggestion === undefined ? `. Allowed: ${listNames(allowed)}` : `; did you mean \`${suggestion}\`?`;
  return new Invalid('not_includable', `${name === '' ? 'must name a relation' : `cannot include \`${name}\``}${hint}`, {
    name,
    suggestion,
  });
}
