import type { FieldEntry, FieldTable } from '../node.ts';

/**
 * The versions of what texts are folded to. They are a part of the stored keys, so that two programs with different
 * tables do not compare each other's values. No field has a bracket in its name, so these keys belong to the library at
 * any depth.
 */
const ends = { text: '[fold2]', case: '[case1]' } as const;

/** The stored key or path of a text without case and accents, beside that of the text itself. */
export function foldedPath(path: string): string {
  return path + ends.text;
}

/** The stored key or path of a text without case. Only unique fields in which accents count have one. */
export function caselessPath(path: string): string {
  return path + ends.case;
}

const anyEnd = /\[(?:fold|case)\d+\]$/;

/** The stored path of the field itself, for the path of a folded value and for any other path. */
export function pathOfField(path: string): string {
  return path.replace(anyEnd, '');
}

/** The dotted name of the field at a stored path, or of the one whose folded value is there. */
export function nameAt(path: string, table: FieldTable): string | undefined {
  const own = pathOfField(path);
  for (const entry of table.values()) if (entry.path === own) return entry.name;
  return undefined;
}

/** Whether clients' queries ignore the case of a field. They cannot look into an array of arrays. */
function isCaseless({ value, inNestedArray }: FieldEntry): boolean {
  return value.kind === 'leaf' && value.caseless !== undefined && !inNestedArray;
}

/** The stored path by which clients filter and sort. */
export function queriedPath(entry: FieldEntry): string {
  return isCaseless(entry) ? foldedPath(entry.path) : entry.path;
}

/** The stored path by which a unique index compares records. */
export function comparedPath(entry: FieldEntry): string {
  const { path, value } = entry;
  if (value.kind !== 'leaf' || !value.caseless) return path;
  return value.caseless.accents ? caselessPath(path) : foldedPath(path);
}
