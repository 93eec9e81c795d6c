import { mapEntries } from './stored-shape.ts';
import { writeUntyped } from './untyped.ts';

/**
 * Whether two items of an array are equal in the sense of JSON Schema's `uniqueItems`: by value, with keys in any
 * order. Each item is written as text once. Ajv compares every pair of items, which takes minutes for 100,000 numbers.
 */
export function hasEqualItems(items: readonly unknown[]): boolean {
  const seen = new Set<string>();
  for (const item of items) seen.add(textOf(item));
  return seen.size < items.length;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  const members = mapEntries(value);
  if (!members) return writeUntyped(value);
  const sorted = [...members].sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, member]) => `${JSON.stringify(key)}:${textOf(member)}`).join()}}`;
}
