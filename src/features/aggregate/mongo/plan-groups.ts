import { Binary, type Document as BsonDocument } from 'mongodb';
import type { QueryField } from '../../../model/compile/query-fields.ts';
import type { Leaf } from '../../../model/value/leaf.ts';
import { isInt64, isWholeDouble } from '../../../model/value/stored-forms.ts';
import { filterOf } from '../../../mongo/predicate/filter-of.ts';
import { rangesBehind } from '../../../mongo/query/position.ts';
import type { AggregateLimits, DateUnit } from '../types.ts';
import { type AggregateQuery, type Figure, type GroupKey, keyOfFigure, typeOf } from './question.ts';

/**
 * The stages behind the filter. They read one record more than may match, and return one group more than an answer may
 * have: so a group too many is seen, and the sum of all counts tells whether too many records match. Where groups are
 * left out, each tells the sum of all; if that is too much, none is left out, so that one tells it.
 */
export function planGroups(query: AggregateQuery, { maxMatches, maxGroups }: Required<AggregateLimits>): BsonDocument[] {
  const { groups, timeZone, sort, having, window } = query;
  const keys = groups.map((key, index) => [`k${index}`, keyOf(key, timeZone)]);
  const figures = query.figures.flatMap((figure) => Object.entries(accumulate(figure)));
  const wanted = [...(having ? [filterOf(having)] : []), ...(window?.from ? [{ $or: rangesBehind(sort, window.from) }] : [])];
  return [
    { $limit: maxMatches + 1 },
    { $group: { _id: keys.length > 0 ? Object.fromEntries(keys) : null, count: { $sum: 1 }, ...Object.fromEntries(figures) } },
    ...finish(query),
    ...(leavesOut(query) ? [{ $setWindowFields: { output: { [matchesKey]: { $sum: '$count' } } } }] : []),
    ...(wanted.length > 0 ? [{ $match: { $or: [{ [matchesKey]: { $gt: maxMatches } }, { $and: wanted }] } }] : []),
    ...(sort.length > 0 ? [{ $sort: new Map(sort.map(({ field, direction }) => [field.path, direction])) }] : []),
    { $limit: (window?.size ?? maxGroups) + 1 },
  ];
}

/** The key at which a group has the number of the records of all groups. */
export const matchesKey = 'all';

/** Whether an answer may lack groups of the records that match. */
export function leavesOut({ having, window }: AggregateQuery): boolean {
  return having !== undefined || window !== undefined;
}

/** Counts different values. A sum of no value is null also where groups are compared by it. */
function finish({ figures }: AggregateQuery): BsonDocument[] {
  const finished = figures.flatMap((figure): (readonly [string, object])[] => {
    const key = keyOfFigure(figure);
    if (figure.kind === 'countDistinct') return [[key, { $size: `$${key}` }]];
    return figure.kind === 'sum' && figure.isCompared ? [[key, { $cond: [{ $eq: [`$n${figure.index}`, 0] }, null, `$${key}`] }]] : [];
  });
  return finished.length > 0 ? [{ $set: Object.fromEntries(finished) }] : [];
}

/**
 * The value of a field in the form of its own type, whichever form is stored. A field is caseless in filters alone: its
 * groups are those of its texts.
 */
function ownValue({ path, caseless, leaf }: QueryField): Value {
  const own = `$${caseless?.exactPath ?? path}`;
  return leaf?.ownForm?.(own) ?? own;
}

/** The path of a stored value, or an expression. */
type Value = string | object;

/**
 * What is no value of the field is in the group of those that are missing. So are dates of years that have not four
 * digits.
 */
function keyOf(key: GroupKey, timezone: string): unknown {
  const value = ownValue(key.field);
  if (key.unit === undefined) return { $cond: [isValue(value, typeOf(key.field)), value, null] };
  const at = timezone === 'UTC' ? { date: value } : { date: value, timezone }; // the database takes longer with a zone
  const isSure = { $and: [{ $gte: [value, firstDate] }, { $lt: [value, lastDate] }] };
  const year = { $year: at };
  const isNamed = { $or: [isSure, { $and: [{ $gte: [year, 1] }, { $lte: [year, 9999] }] }] };
  const isDate = { $and: [{ $eq: [{ $type: value }, 'date'] }, isNamed] };
  return { $cond: [isDate, spanOf(key.unit, at), null] };
}

/** Between these, the year has four digits in every time zone: the calendar need not be asked. */
const [firstDate, lastDate] = [new Date('0001-01-02T00:00:00Z'), new Date('9999-12-30T00:00:00Z')];

/** The local name of a span by ISO 8601. An hour is its beginning, because the clock shows one twice a year. */
function spanOf(unit: DateUnit, at: { readonly date: Value; readonly timezone?: string }): unknown {
  const text = (format: string) => ({ $dateToString: { ...at, format } });
  switch (unit) {
    case 'year':
      return text('%Y');
    case 'quarter':
      return { $concat: [text('%Y-Q'), { $toString: { $toInt: { $ceil: { $divide: [{ $month: at }, 3] } } } }] };
    case 'month':
      return text('%Y-%m');
    case 'week':
      return text('%G-W%V');
    case 'day':
      return text('%Y-%m-%d');
    case 'hour':
      return at.timezone === undefined ? { $dateTrunc: { ...at, unit } } : hourOf(at.date, at.timezone);
  }
}

const hour = 3_600_000;

/**
 * The beginning of the local hour. `$dateTrunc` counts whole hours from 2000 on, and not all zones have always differed
 * by such from what they were then. In an hour that a clock which is put by minutes cuts, its beginning is the cut.
 */
function hourOf(date: Value, timezone: string): object {
  const sinceHour = (date: Value) => ({
    $add: [
      { $multiply: [{ $minute: { date, timezone } }, 60_000] },
      { $multiply: [{ $second: { date, timezone } }, 1_000] },
      { $millisecond: { date, timezone } },
    ],
  });
  return {
    $let: {
      vars: { start: { $subtract: [date, sinceHour(date)] } },
      in: { $add: ['$$start', { $mod: [{ $subtract: [hour, sinceHour('$$start')] }, hour] }] },
    },
  };
}

const infinite = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

/** The database orders binary data by its length, and then by its subtype. */
function boundsOfUuids(subtype: number): readonly [string, Binary][] {
  return [
    ['$gte', new Binary(Buffer.alloc(16), subtype)],
    ['$lte', new Binary(Buffer.alloc(16, 0xff), subtype)],
  ];
}

/** Whether a value is one of its type. NaN and infinity are not. */
function isValue(value: Value, { name, bsonTypes, storedAs }: Leaf): object {
  const isOf = (types: readonly string[]) => ({ $in: [{ $type: value }, types] });
  switch (name) {
    case 'int':
    case 'int64':
      return isInt64(value);
    case 'float':
      return { $and: [isOf(['int', 'long', 'double']), { $not: [{ $in: [value, infinite] }] }] };
    case 'decimal':
      return { $and: [isOf(bsonTypes), { $not: [{ $in: [value, infinite] }] }] };
    case 'uuid':
      return { $and: boundsOfUuids(storedAs ? 3 : 4).map(([operator, bound]) => ({ [operator]: [value, bound] })) };
    default:
      return isOf(bsonTypes);
  }
}

/**
 * The decimal of a number, for sums that are exact up to 34 digits. Of a double the database takes 15 digits only: one
 * that is an integer goes by way of the integer.
 */
function toDecimal(value: Value): object {
  return { $toDecimal: { $cond: [isWholeDouble(value), { $toLong: value }, value] } };
}

/** Other values do not count. A sum of no value is told from zero by `n`. */
function accumulate({ kind, field, index }: Figure): Record<string, unknown> {
  const value = ownValue(field);
  const leaf = typeOf(field);
  const counts = isValue(value, leaf);
  if (kind === 'countDistinct') return { [`f${index}`]: { $addToSet: { $cond: [counts, value, '$$REMOVE'] } } };
  const isExact = (kind === 'sum' || kind === 'avg') && leaf.name !== 'float';
  const own = { [`f${index}`]: { [`$${kind}`]: { $cond: [counts, isExact ? toDecimal(value) : value, null] } } };
  return kind === 'sum' ? { ...own, [`n${index}`]: { $sum: { $cond: [counts, 1, 0] } } } : own;
}
