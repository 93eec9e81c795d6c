/** What an aggregate may tell of a field's values. */
export const aggregates = ['sum', 'avg', 'min', 'max', 'countDistinct'] as const;

/** A number about the values of a field: `sum=total` in an aggregate's query string. */
export type Aggregate = (typeof aggregates)[number];

/** The spans of time by which dates are grouped. A week begins on Monday (ISO 8601). */
export const dateUnits = ['year', 'quarter', 'month', 'week', 'day', 'hour'] as const;
export type DateUnit = (typeof dateUnits)[number];

/** The most fields of `group`. */
export const maxGroupKeys = 8;

/** The most keys of `sort`, without those that are added. */
export const maxGroupSorts = 8;

/** The parameters of every aggregate. No filterable field of a resource with `aggregate` may have such a name. */
export const aggregateParameters = ['group', ...aggregates, 'count', 'timezone', 'having', 'sort', 'limit', 'after', 'filter'] as const;

/** The key of `guardsFor` for aggregates, and the name of the operation. */
export const aggregateName = 'aggregate';

/** {@link aggregateName} as a type. */
export type ReadOfAggregate = typeof aggregateName;

/** The keys of policies for aggregates. */
export interface AggregatePolicy {
  /**
   * What an aggregate of the list may tell of the field: the sum and average of numbers, the least and greatest value
   * of numbers and dates, and how many different values of any type there are. `true` allows everything that fits the
   * type but `countDistinct`, which costs more memory and must be named. The resource must have `aggregate`.
   * @default none
   *
   * @example
   * t.decimal({ policy: { aggregate: ['sum', 'max'] } })
   */
  readonly aggregate?: true | readonly Aggregate[];
  /** Whether an aggregate of the list may group by this field; dates are grouped by month, day, …. @default false */
  readonly group?: boolean;
}

/** The limits of the aggregates of a resource. */
export interface AggregateLimits {
  /** The most records that may match, up to 10,000,000. More are answered with 422. @default 100,000 */
  readonly maxMatches?: number;
  /**
   * The most groups of an answer, or of a page, up to 100,000. Without `limit`, more are answered with 422.
   *
   * @default 1,000
   */
  readonly maxGroups?: number;
}

/** The option of a resource for numbers about its list. */
export interface OfAggregate {
  /**
   * Answers `GET <list>/aggregate` with numbers about the list: counts, sums, averages, least and greatest values, by
   * groups, in any order and by pages. It has the filters, scope and guards of the list, and the guards of
   * `guardsFor.aggregate`. Fields have numbers by `policy.aggregate` and `policy.group`. A resource with hooks in
   * `after` of `list` cannot have it. See `docs/reference/aggregate.md`.
   * @default false
   *
   * @example
   * aggregate: { maxMatches: 1_000_000 }
   */
  readonly aggregate?: boolean | AggregateLimits;
}
