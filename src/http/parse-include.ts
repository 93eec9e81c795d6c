import { listNames } from './list-names.ts';
import { nearest } from './near-miss.ts';
import type { ErrorSink } from './query-errors.ts';

/**
 * Parses the values of `include` parameters, names separated by commas, into the relations to embed; several parameters add up. A name that
 * is not among the allowed ones adds one error, for the first of them, whether there is such a relation or not.
 *
 * @example
 * parseInclude(['customer,author', 'customer'], ['author', 'customer'], errors) // ['customer', 'author']
 */
export function parseInclude(values: readonly string[], allowed: readonly string[], errors: ErrorSink): string[] {
  const names = [...new Set(values.flatMap((value) => value.split(',')))];
  const unknown = names.find((name) => !allowed.includes(name));
  if (unknown === undefined) return names;
  errors.push({ field: 'include', message: describeUnknown(unknown, allowed) });
  return [];
}

function describeUnknown(name: string, allowed: readonly string[]): string {
  if (allowed.length === 0) return 'is not available: there are no relations to include here';
  const hint = nearest(name, allowed);
  if (hint !== undefined) return `cannot be ${name}; did you mean ${hint}?`;
  return `cannot be ${name === '' ? 'nothing' : name}: it can be ${listNames(allowed)}`;
}
