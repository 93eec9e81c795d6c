import { mapEntries } from './stored-shape.ts';
import { writeUntyped } from './untyped.ts';

/**
 * Whether two items of a list are equal, as JSON Schema's `uniqueItems` means it: by value, whatever the order of keys. Each item is written
 * once; Ajv compares every two of them, which a list of 100,000 numbers turns into minutes.
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
