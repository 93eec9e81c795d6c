/** What an aggregate may tell of a field's values. */
export const aggregates = ['sum', 'avg', 'min', 'max'] as const;

/** A number about the values of a field: `sum=total` in an aggregate's query string. */
export type Aggregate = (typeof aggregates)[number];

/** The spans of time by which dates are grouped. A week begins on Monday (ISO 8601). */
export const dateUnits = ['year', 'quarter', 'month', 'week', 'day', 'hour'] as const;
export type DateUnit = (typeof dateUnits)[number];

/** The most fields of `group`. */
export const maxGroupKeys = 8;

/** The parameters of every aggregate. No filterable field of a resource with `aggregate` may have such a name. */
export const aggregateParameters = ['group', ...aggregates, 'count', 'timezone', 'filter'] as const;
