import { validationFailed } from '../../../errors.ts';
import { JsonOutput } from '../../../model/value/json-output.ts';
import { decode } from '../../../mongo/driver/bson-options.ts';
import type { FirstBatch } from '../../../mongo/driver/read-batches.ts';
import { Turn } from '../../../mongo/driver/turn.ts';
import { formatCursor } from '../../../mongo/list/cursor.ts';
import { Invalid } from '../../../rules.ts';
import { type AggregateLimits, aggregates } from '../types.ts';
import { tooMany, tooManyRecords } from './explain.ts';
import { leavesOut, matchesKey } from './plan-groups.ts';
import { type AggregateQuery, type Figure, type GroupKey, type GroupWindow, typeOf } from './question.ts';

/** The limits of an answer. */
export interface GroupLimits extends Required<AggregateLimits> {
  /** The most bytes of the groups. */
  readonly maxBytes: number;
}

/** A group as the database returns it. */
interface Group {
  readonly _id: Readonly<Record<string, unknown>> | null;
  readonly count: number;
  readonly [figure: string]: unknown;
}

/** The JSON of the groups, an array, and where their page ends. */
export interface WrittenGroups {
  readonly json: Buffer;
  /** Undefined if all groups are one answer. */
  readonly page: GroupPage | undefined;
}

/** What clients are told of a page of groups. */
interface GroupPage {
  readonly size: number;
  readonly has_next: boolean;
  readonly next_cursor: string | null;
}

/**
 * Writes the groups: all of them, or as many as fit into the page that is asked for, and at least one. Throws
 * `too_many_matches` (422) if all groups are too many or have too many bytes, or if too many records match, and
 * `validation_failed` (422) for a figure beyond the range of its type. Other requests run between them.
 */
export async function writeGroups(
  { found, isCut }: FirstBatch,
  query: AggregateQuery,
  { maxGroups, maxMatches, maxBytes }: GroupLimits,
): Promise<WrittenGroups> {
  const { groups, window } = query;
  if (isCut && !window) throw tooMany('The groups would have more than 16 MiB');
  if (found.length > maxGroups && !window) throw tooMany(`The answer would have more than ${maxGroups} groups`);
  const turn = new Turn();
  const output = new JsonOutput();
  let matches = 0;
  let last: Group | undefined;
  let count = 0;
  output.byte(openBracket);
  for (const bytes of found.slice(0, window?.size)) {
    const group = decode(bytes) as Group;
    matches = leavesOut(query) ? Number(group[matchesKey]) : matches + Number(group.count);
    if (matches > maxMatches) break;
    const before = output.length;
    if (count > 0) output.byte(comma);
    output.text(writeGroup(group, query));
    if (output.length >= maxBytes) {
      if (!window || count === 0) throw tooMany(`The answer would have more than ${maxBytes} bytes`);
      output.length = before;
      break;
    }
    count++;
    last = group;
    await turn.pass();
  }
  if (found.length === 0 && groups.length === 0) output.text(writeGroup(nothing, query));
  if (matches > maxMatches) throw tooManyRecords(maxMatches);
  output.byte(closeBracket);
  return { json: output.take(), page: window && pageBehind(count < found.length || isCut ? last : undefined, query.sort, window) };
}

/** The page that ends with this group. Without one, it is the last page. */
function pageBehind(last: Group | undefined, sort: AggregateQuery['sort'], { size, list }: GroupWindow): GroupPage {
  const values = last && sort.map(({ field: { path } }) => valueAt(last, path));
  return { size, has_next: last !== undefined, next_cursor: values ? formatCursor(list, { values, side: 1 }) : null };
}

function valueAt(group: Group, path: string): unknown {
  const key = path.replace(/^_id\./, '');
  return (key === path ? group[key] : group._id?.[key]) ?? null;
}

const openBracket = 0x5b;
const comma = 0x2c;
const closeBracket = 0x5d;

/** The one group of an aggregate that matches no record, and has no fields to group by. */
const nothing: Group = { _id: null, count: 0 };

function writeGroup(group: Group, { groups, figures, isCounted }: AggregateQuery): string {
  const keys = groups.map((key, index) => member(key.name, writeKey(group._id?.[`k${index}`], key)));
  const kinds = aggregates.flatMap((kind) => {
    const own = figures.flatMap((figure) => {
      if (figure.kind !== kind) return [];
      const json = writeFigure(group, figure); // also of one that is only compared: it may be beyond its range
      return figure.isShown ? [member(figure.field.name, json)] : [];
    });
    return own.length > 0 ? [member(kind, object(own))] : [];
  });
  return object([
    ...(keys.length > 0 ? [member('group', object(keys))] : []),
    ...(isCounted ? [member('count', String(group.count))] : []),
    ...kinds,
  ]);
}

function member(name: string, json: string): string {
  return `${JSON.stringify(name)}:${json}`;
}

function object(members: readonly string[]): string {
  return `{${members.join(',')}}`;
}

/** The name of a span is a text, and an hour is a date: the type of dates writes both. */
function writeKey(value: unknown, { field }: GroupKey): string {
  return typeOf(field).toJson(value);
}

/**
 * A figure of no value is null. One beyond the range of its type is infinite, or NaN where it was infinite in both
 * directions: no such value counts.
 */
function writeFigure(group: Group, { kind, field, index }: Figure): string {
  const value = group[`f${index}`] ?? null;
  if (kind === 'countDistinct') return String(value ?? 0);
  const leaf = typeOf(field);
  if (kind === 'sum' && Number(group[`n${index}`]) === 0) return 'null';
  const isSumOfIntegers = kind === 'sum' && (leaf.name === 'int' || leaf.name === 'int64'); // which is stored as a decimal
  if (!/NaN|Infinity/.test(String(value))) return isSumOfIntegers ? String(value) : leaf.toJson(value);
  const type = leaf.name === 'float' ? 'a double' : 'a Decimal128';
  throw validationFailed([new Invalid('out_of_range', `of \`${field.name}\` is beyond the range of ${type}`).at(kind)]);
}
