import { hash as digestOf } from 'node:crypto';
import { BSON } from 'mongodb';
import { Problem } from '../../errors.ts';
import { readSortValue, writeSortValue } from '../../model/value/sort-value.ts';
import type { Visible } from '../lifecycle/lifecycle.ts';
import type { Condition } from '../predicate/predicate.ts';
import type { Position, SortKey } from '../query/position.ts';
import { textOf } from '../query/text-of.ts';

const checksumLength = 16;

/**
 * Writes a cursor as URL-safe text: a checksum, then a position, which is values with their types. The checksum covers
 * the values and the {@link textOfList}, and detects damage and cursors of other lists. It is not secret, and a cursor
 * grants nothing: scope and filters apply to every page.
 */
export function formatCursor(list: string, { values, side }: Position): string {
  const text = Buffer.from(JSON.stringify([side, ...values.map(writeSortValue)])).toString('base64url');
  return digestOf('sha256', `${list}.${text}`, 'base64url').slice(0, checksumLength) + text;
}

/**
 * Reads a cursor. It accepts only the exact text that {@link formatCursor} writes for a position, so that a forged
 * cursor can express no more than a filter. Throws `invalid_cursor` (400) for anything else, including a cursor of
 * another list.
 */
export function parseCursor(cursor: string, list: string, sort: readonly SortKey[]): Position {
  const position = decode(cursor, list);
  if (position?.values.length === sort.length) return position;
  throw new Problem({
    code: 'invalid_cursor',
    detail: 'It is damaged, or belongs to another list: another resource, sort or filter; begin again without a cursor.',
  });
}

function decode(cursor: string, list: string): Position | undefined {
  try {
    const parts: unknown[] = JSON.parse(Buffer.from(cursor.slice(checksumLength), 'base64url').toString());
    const position: Position = { values: parts.slice(1).map((text) => readSortValue(text as string)), side: parts[0] === 1 ? 1 : -1 };
    BSON.serialize({ values: position.values }); // refuses binary values that their subtype does not allow
    return formatCursor(list, position) === cursor ? position : undefined;
  } catch {
    return undefined; // a forged cursor may make a parser throw anything
  }
}

/** Further properties of the list that a cursor is bound to. */
export interface CursorBounds {
  /** Which records the list shows. @default 'live' */
  readonly deleted?: Visible | undefined;
  /** The id in the path of a list below a record. */
  readonly parent?: string | undefined;
  /** The filter of the list, in the form that all spellings of it have. */
  readonly filter?: unknown;
  /** What parameters of a plug-in ask for. */
  readonly further?: string | undefined;
}

/**
 * A text of the list that a cursor belongs to: resource, sort and filters, which records it shows, and below which
 * record. No two lists have the same.
 */
export function textOfList(
  resource: string,
  sort: readonly SortKey[],
  conditions: readonly Condition[],
  { deleted = 'live', parent, filter: expression, further }: CursorBounds = {},
): string {
  // The path of a field whose case is ignored has the version of the folding: positions of another one are elsewhere.
  const order = sort.map(({ field, direction }) => [field.name, direction, ...(field.caseless ? [field.path] : [])]);
  const filter = conditions
    .map(({ field, operator, value }) => [field.name, operator, value])
    .sort(([a, b], [c, d]) => (`${a}[${b}` < `${c}[${d}` ? -1 : 1));
  const parts = [resource, order, filter, deleted, parent ?? null, expression ?? null, ...(further === undefined ? [] : [further])];
  return textOf(parts) ?? BSON.EJSON.stringify(parts, { relaxed: false });
}
