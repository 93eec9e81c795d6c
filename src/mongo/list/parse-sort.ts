import { listNames, nearest } from '../../hints.ts';
import type { ErrorSink } from '../../http/query-errors.ts';
import type { QueryField, QueryFields } from '../../model/compile/query-fields.ts';
import { Invalid } from '../../rules.ts';
import type { SortKey } from '../query/position.ts';

/** The settings of the parser of a sort. */
export interface SortRules {
  readonly fields: QueryFields;
  /** The most keys, including the id. A page by cursor is one command, but has a range for each key. */
  readonly maxSortKeys: number;
  /** The key that ends every sort: no two records have the same value. @default the id */
  readonly lastKey?: QueryField;
}

/** Parses the names of a `sort`; the id is always its last key. */
export function parseSort(given: readonly string[], rules: SortRules, errors: ErrorSink): SortKey[] {
  const { fields, maxSortKeys, lastKey: id = fields.get('id') as QueryField } = rules;
  const all = endWithId(parseSortKeys(given, fields, errors), id);
  const tooMany = `must have at most ${maxSortKeys} keys, the id included`;
  if (all.length > maxSortKeys) errors.push(new Invalid('maxItems', tooMany, { limit: maxSortKeys }).at('sort'));
  return all;
}

/** Parses the names of a `sort`, and adds no other key. */
export function parseSortKeys(given: readonly string[], fields: QueryFields, errors: ErrorSink): SortKey[] {
  const keys: SortKey[] = [];
  for (const text of given) {
    const name = text.startsWith('-') ? text.slice(1) : text;
    const field = fields.get(name);
    const isTwice = keys.some((key) => key.field === field);
    if (!field?.sortable) errors.push(describeUnsortable(name, fields, keys.at(-1)).at('sort'));
    else if (isTwice) errors.push(new Invalid('repeated_sort_key', `names ${name} twice`, { name }).at('sort'));
    else keys.push({ field, direction: text.startsWith('-') ? -1 : 1 });
  }
  return keys;
}

/**
 * Adds the id as the last key, in the direction of the key before it, so that an index on `{ x: 1, _id: 1 }` also
 * serves `sort=-x`. Keys behind the id are removed: ids are unique, so they order nothing, and no index would serve
 * such a sort.
 */
export function endWithId(keys: readonly SortKey[], id: QueryField): SortKey[] {
  const at = keys.findIndex(({ field }) => field.name === id.name); // the id of a related record has the same path
  return at === -1 ? [...keys, { field: id, direction: keys.at(-1)?.direction ?? 1 }] : keys.slice(0, at + 1);
}

function describeUnsortable(name: string, fields: QueryFields, before: SortKey | undefined): Invalid {
  const sortable = [...fields.values()].filter((field) => field.sortable).map((field) => field.name);
  const suggestion = readDirection(name, sortable, before) ?? nearest(name, sortable);
  const allowed = sortable.length > 0 ? `Allowed: ${listNames(sortable)}` : 'This list has one order only';
  const hint = suggestion === undefined ? `. ${allowed}` : `; did you mean \`${suggestion}\`?`;
  return new Invalid('not_sortable', `${name === '' ? 'must name a field' : `cannot sort by \`${name}\``}${hint}`, { name, suggestion });
}

/** What a direction behind a name means, as other APIs have it: `total:desc`, `total desc` or `total,desc`. */
function readDirection(name: string, sortable: readonly string[], before: SortKey | undefined): string | undefined {
  const [, named, direction] = /^(?:(.+)[: .])?(asc|desc)(?:ending)?$/i.exec(name) ?? [];
  const meant = direction && (named ?? before?.field.name);
  if (!meant || !sortable.includes(meant)) return undefined;
  return direction.toLowerCase() === 'desc' ? `-${meant}` : meant;
}
