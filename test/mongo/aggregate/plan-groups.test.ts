import { Double } from 'mongodb';
import { planGroups } from '../../../src/features/aggregate/mongo/plan-groups.ts';
import { parse } from './sales.ts';

const limits = { maxMatches: 100, maxGroups: 10 };

/** What the records are grouped by, and the figures of each group. */
function groupOf(query: string): { readonly _id: unknown; readonly [figure: string]: unknown } {
  return planGroups(parse(query), limits)[1]?.$group;
}

const infinite = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
const isOf = (path: string, ...types: string[]) => ({ $in: [{ $type: path }, types] });
const isWhole = (path: string) => ({
  $and: [
    { $eq: [{ $type: path }, 'double'] },
    { $gte: [path, new Double(-(2 ** 63))] },
    { $lt: [path, new Double(2 ** 63)] },
    { $eq: [{ $trunc: path }, path] },
  ],
});
const isInteger = (path: string) => ({ $or: [isOf(path, 'int', 'long'), isWhole(path)] });
const isOneOf = (path: string, ...types: string[]) => ({ $and: [isOf(path, ...types), { $not: [{ $in: [path, infinite] }] }] });
const isFloat = (path: string) => isOneOf(path, 'int', 'long', 'double');
const isDecimal = (path: string) => isOneOf(path, 'int', 'long', 'double', 'decimal');
const exactly = (path: string) => ({ $toDecimal: { $cond: [isWhole(path), { $toLong: path }, path] } });

describe('planGroups()', () => {
  it('reads one record more than may match, and returns one group more than may be, in the order of their values', () => {
    expect(planGroups(parse('group=city,status'), limits)).toEqual([
      { $limit: 101 },
      {
        $group: {
          _id: {
            k0: { $cond: [isOf('$city', 'string'), '$city', null] },
            k1: { $cond: [isOf('$status', 'string'), '$status', null] },
          },
          count: { $sum: 1 },
        },
      },
      {
        $sort: new Map([
          ['_id.k0', 1],
          ['_id.k1', 1],
        ]),
      },
      { $limit: 11 },
    ]);
  });

  it('makes one group of all records without fields to group by', () => {
    expect(groupOf('')).toEqual({ _id: null, count: { $sum: 1 } });
  });

  it.each<[field: string, isValue: object]>([
    ['isGift', isOf('$isGift', 'bool')],
    ['place.zip', isOf('$place.zip', 'string')],
    ['pieces', isInteger('$pieces')],
    ['big', isInteger('$big')],
    ['weight', isFloat('$weight')],
    ['amount', isDecimal('$amount')],
  ])('groups by %s what is of the type of the field, and all else by null', (field, isValue) => {
    expect(groupOf(`group=${field}`)._id).toEqual({ k0: { $cond: [isValue, `$${field}`, null] } });
  });

  it('groups by the texts of a caseless field, which only filters compare without case', () => {
    expect(parse('group=city').groups[0]?.field.path).toBe('city[fold2]');
    expect(groupOf('group=city')._id).toEqual({ k0: { $cond: [expect.anything(), '$city', null] } });
  });

  describe('names a span of time', () => {
    const text = (at: object, format: string) => ({ $dateToString: { ...at, format } });
    const spans: readonly [unit: string, span: (at: object) => object][] = [
      ['year', (at) => text(at, '%Y')],
      ['quarter', (at) => ({ $concat: [text(at, '%Y-Q'), { $toString: { $toInt: { $ceil: { $divide: [{ $month: at }, 3] } } } }] })],
      ['month', (at) => text(at, '%Y-%m')],
      ['week', (at) => text(at, '%G-W%V')],
      ['day', (at) => text(at, '%Y-%m-%d')],
      ['hour', (at) => ({ $dateTrunc: { ...at, unit: 'hour' } })],
    ];
    /** A date whose year has four digits: the calendar is asked where the time zone could change that. */
    const isNamed = (at: object) => ({
      $and: [
        { $eq: [{ $type: '$at' }, 'date'] },
        {
          $or: [
            { $and: [{ $gte: ['$at', new Date('0001-01-02T00:00:00Z')] }, { $lt: ['$at', new Date('9999-12-30T00:00:00Z')] }] },
            { $and: [{ $gte: [{ $year: at }, 1] }, { $lte: [{ $year: at }, 9999] }] },
          ],
        },
      ],
    });

    it.each(spans)('in UTC without asking for a zone, which takes longer: %s', (unit, span) => {
      const at = { date: '$at' };
      expect(groupOf(`group=at[${unit}]`)._id).toEqual({ k0: { $cond: [isNamed(at), span(at), null] } });
    });

    it.each(spans.filter(([unit]) => unit !== 'hour'))('in the zone that is asked for: %s', (unit, span) => {
      const at = { date: '$at', timezone: 'Europe/Berlin' };
      expect(groupOf(`group=at[${unit}]&timezone=Europe/Berlin`)._id).toEqual({ k0: { $cond: [isNamed(at), span(at), null] } });
    });
  });

  it.each<[field: string, isValue: object]>([
    ['pieces', isInteger('$pieces')],
    ['big', isInteger('$big')],
    ['amount', isDecimal('$amount')],
  ])('adds and averages %s as decimals, which are exact, and tells a sum of nothing from zero', (field, isValue) => {
    const value = { $cond: [isValue, exactly(`$${field}`), null] };
    expect(groupOf(`sum=${field}&avg=${field}`)).toEqual({
      _id: null,
      count: { $sum: 1 },
      f0: { $sum: value },
      n0: { $sum: { $cond: [isValue, 1, 0] } },
      f1: { $avg: value },
    });
  });

  it('adds and averages floats as they are', () => {
    const value = { $cond: [isFloat('$weight'), '$weight', null] };
    expect(groupOf('sum=weight&avg=weight')).toMatchObject({ f0: { $sum: value }, f1: { $avg: value } });
  });

  it.each<[field: string, isValue: object]>([
    ['pieces', isInteger('$pieces')],
    ['amount', isDecimal('$amount')],
    ['weight', isFloat('$weight')],
    ['at', isOf('$at', 'date')],
  ])('takes the least and the greatest of %s as they are', (field, isValue) => {
    const value = { $cond: [isValue, `$${field}`, null] };
    expect(groupOf(`min=${field}&max=${field}`)).toEqual({
      _id: null,
      count: { $sum: 1 },
      f0: { $min: value },
      f1: { $max: value },
    });
  });
});
