import { Problem } from '../../../src/errors.ts';
import { type AggregateRules, parseAggregateQuery } from '../../../src/features/aggregate/mongo/parse-aggregate.ts';
import type { AggregateQuery } from '../../../src/features/aggregate/mongo/question.ts';
import { stringifyJson } from '../../../src/http/json.ts';
import { parseQueryString } from '../../../src/http/query-string.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { defineModel } from '../../../src/model/define/define-model.ts';
import { t } from '../../../src/model/define/t.ts';
import type { ThroughField, ThroughStep } from '../../../src/mongo/through/through-field.ts';

const both = { aggregate: true, group: true } as const;

/** A field of every type that has numbers or makes groups. */
const Sale = defineModel('Sale', {
  collection: 'sales',
  fields: {
    id: t.string({ policy: { filter: true } }),
    status: t.enum(['open', 'paid'], { policy: { filter: true, group: true } }),
    city: t.nullable(t.string({ caseless: true, policy: { filter: true, group: true } })),
    isGift: t.optional(t.boolean({ policy: { group: true } })),
    place: t.optional(t.object('Place', { zip: t.string({ policy: { group: true } }), floor: t.int({ policy: { aggregate: ['sum'] } }) })),
    at: t.date({ policy: both }),
    pieces: t.int({ policy: { ...both, filter: true } }),
    big: t.int64({ policy: { ...both, filter: true } }),
    amount: t.decimal({ policy: both }),
    weight: t.float({ policy: both }),
    only: t.int({ policy: { aggregate: ['max'] } }),
    secret: t.int({ policy: { private: true } }),
  },
});

/** The fields of sales that clients may name. */
export const { clientFields: own } = compileModel(Sale);

const customer: ThroughStep = {
  name: 'customer',
  field: 'customerId',
  path: 'customerId',
  via: undefined,
  isSingle: true,
  source: { model: {}, collection: {} } as never,
};
const related = ['status', 'pieces'].map((name): [string, ThroughField] => [
  `customer.${name}`,
  { ...(own.get(name) as ThroughField), name: `customer.${name}`, ownName: name, steps: [customer] },
]);
const rules: AggregateRules = {
  own,
  fields: new Map([...own, ...related]),
  resource: 'sales',
  maxGroups: 50,
  maxFilterValues: 3,
  maxPrefix: 5,
  maxContainsMatches: 10,
};

interface Others extends Partial<AggregateRules> {
  readonly takesDeleted?: boolean;
}

/** What an aggregate of sales makes of a query string. */
export function parse(query: string, { takesDeleted = false, ...others }: Others = {}): AggregateQuery {
  return parseAggregateQuery(parseQueryString(query), { ...rules, ...others }, { deleted: takesDeleted ? 'live' : undefined });
}

/**
 * The code, and the errors that are found in one query, each as a line: the parameter, the rule, what is said, and the
 * `params` for programs.
 */
export function refusalsOf(query: string, others: Others = {}): string[] {
  return problemOf(
    () => parse(query, others),
    (problem) => [
      problem.code,
      ...(problem.errors ?? []).map(({ field, rule, message, params = {} }) => `${field} ${rule}: ${message} ${stringifyJson(params)}`),
    ],
  );
}

/** What is read of the problem that a function throws. */
function problemOf<Read>(run: () => unknown, read: (problem: Problem) => Read): Read {
  try {
    run();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return read(error);
  }
  throw new Error('There was no problem.');
}
