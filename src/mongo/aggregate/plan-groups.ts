import type { Document as BsonDocument } from 'mongodb';
import type { DateUnit } from '../../model/define/aggregates.ts';
import type { AggregateQuery, Figure, GroupKey } from './parse-aggregate.ts';

/** The limits of an aggregate. */
export interface AggregateLimits {
  /** The most records that may match. */
  readonly maxMatches: number;
  /** The most groups of an answer. */
  readonly maxGroups: number;
}

/**
 * The stages behind the filter. They read one record more than may match, and return one group more than an answer may
 * have: so a group too many is seen, and the sum of all counts tells whether too many records match.
 */
export function planGroups(query: AggregateQuery, { maxMatches, maxGroups }: AggregateLimits): BsonDocument[] {
  const keys = query.groups.map((key, index) => [`k${index}`, keyOf(key, query.timeZone)]);
  const figures = query.figures.flatMap((figure, index) => Object.entries(accumulate(figure, index)));
  return [
    { $limit: maxMatches + 1 },
    { $group: { _id: keys.length > 0 ? Object.fromEntries(keys) : null, count: { $sum: 1 }, ...Object.fromEntries(figures) } },
    { $sort: { _id: 1 } },
    { $limit: maxGroups + 1 },
  ];
}

/** A field is caseless in filters alone: its groups are those of its texts. */
function pathOf({ field }: Pick<GroupKey, 'field'>): string {
  return `$${field.caseless?.exactPath ?? field.path}`;
}

/** The years that the database writes as text, in every time zone. */
const [firstDate, lastDate] = [new Date('0001-01-02T00:00:00Z'), new Date('9999-12-30T00:00:00Z')];

/** A missing value and null are one group. So are dates that are none, and those of years that have not four digits. */
function keyOf(key: GroupKey, timezone: string): unknown {
  const path = pathOf(key);
  if (key.unit === undefined) return { $ifNull: [path, null] };
  const isDate = { $and: [{ $eq: [{ $type: path }, 'date'] }, { $gte: [path, firstDate] }, { $lt: [path, lastDate] }] };
  return { $cond: [isDate, spanOf(key.unit, { date: path, timezone }), null] };
}

/** The local name of a span by ISO 8601. An hour is its beginning, because the clock shows one twice a year. */
function spanOf(unit: DateUnit, at: { readonly date: string; readonly timezone: string }): unknown {
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
      return { $dateTrunc: { ...at, unit } };
  }
}

/** Whether the values are added up as decimals: exact for integers and decimals of up to 34 digits. */
function isExact({ field }: Figure): boolean {
  return field.leaf?.name !== 'float';
}

/** Values of another type do not count, and neither do NaN and infinity. A sum of no value is told from zero by `n`. */
function accumulate(figure: Figure, index: number): Record<string, unknown> {
  const path = pathOf(figure);
  const types = figure.field.leaf?.bsonTypes ?? [];
  const counts = {
    $and: [
      { $in: [{ $type: path }, types] },
      { $not: [{ $in: [path, [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]] }] },
    ],
  };
  const { kind } = figure;
  const adds = kind === 'sum' || kind === 'avg';
  const value = { $cond: [counts, adds && isExact(figure) ? { $toDecimal: path } : path, null] };
  const own = { [`f${index}`]: { [`$${kind}`]: value } };
  return kind === 'sum' ? { ...own, [`n${index}`]: { $sum: { $cond: [counts, 1, 0] } } } : own;
}
