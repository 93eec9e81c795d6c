import { listNames, nearest } from '../../../hints.ts';
import { type ErrorSink, QueryErrors } from '../../../http/query-errors.ts';
import { itemsOf, type QueryParameter } from '../../../http/query-string.ts';
import type { QueryField, QueryFields } from '../../../model/compile/query-fields.ts';
import type { Visible } from '../../../mongo/lifecycle/lifecycle.ts';
import { boundOfScan, type ReadFurther } from '../../../mongo/list/asked.ts';
import { compileFilter, type FilterRules, filterName, inUrl } from '../../../mongo/list/compile-filter.ts';
import { givenTwice, parseConditions, refuseOutOfRange } from '../../../mongo/list/parse-conditions.ts';
import { deletedName, isDeleted } from '../../../mongo/list/parse-deleted.ts';
import { pathsOf } from '../../../mongo/predicate/paths-of.ts';
import { isConditionThrough } from '../../../mongo/through/through-field.ts';
import { Invalid } from '../../../rules.ts';
import { figuresOf, isGroupable } from '../policy.ts';
import { type Aggregate, aggregateParameters, aggregates, type DateUnit, dateUnits, maxGroupKeys } from '../types.ts';
import { everyFigure, parseOfGroups, parseWindow } from './order-groups.ts';
import { type AggregateQuery, type Figure, type GroupKey, keyOfFigure } from './question.ts';

/** What an aggregate may name. */
export interface AggregateRules extends FilterRules {
  /** The fields of the records themselves: groups and figures are made of no others. */
  readonly own: QueryFields;
  /** The names of the parameters that plug-ins add. @default none */
  readonly further?: readonly string[];
  /** The most records that may be looked at for `contains`. */
  readonly maxContainsMatches: number;
  /** What cursors are bound to, beside the question. */
  readonly resource: string;
  /** The most groups of an answer, and the size of a page without `limit`. */
  readonly maxGroups: number;
}

/** What the parser takes from the request. */
interface AggregateAsked {
  /** Which records it is about. Undefined if clients may not ask for deleted ones, and the parameter is unknown. */
  readonly deleted: Visible | undefined;
  /** Reads the parameters of plug-ins. Undefined for a request without them. */
  readonly readFurther?: ReadFurther | undefined;
}

type AggregateParameter = (typeof aggregateParameters)[number];

const subject = 'this aggregate';

/**
 * Parses the query string of an aggregate. Fields and what may be asked of them come from tables of the model. Throws
 * `invalid_query` (400) with the first 20 errors, `validation_failed` (422) for an integer of more than 64 bits, and
 * `invalid_cursor` (400).
 */
export function parseAggregateQuery(
  given: readonly QueryParameter[],
  rules: AggregateRules,
  { deleted, readFurther }: AggregateAsked,
): AggregateQuery {
  const errors = new QueryErrors();
  const { asked: further, others: parameters } = readFurther?.(errors) ?? { asked: undefined, others: given };
  const settings = new Map<AggregateParameter, string[]>();
  const filters: QueryParameter[] = [];
  for (const parameter of parameters) {
    const { name, operator, isItem } = parameter;
    if (isAggregateParameter(name) && operator === undefined && (isList(name) || !isItem))
      settings.set(name, [...(settings.get(name) ?? []), ...(isList(name) ? itemsOf(parameter) : [parameter.value])]);
    else if (deleted === undefined || !isDeleted(parameter)) filters.push(parameter);
  }
  const names = () => [...aggregateParameters, ...(deleted === undefined ? [] : [deletedName]), ...(rules.further ?? [])];
  const { conditions, outOfRange } = parseConditions(filters, rules, { parameters: names, subject }, errors);
  const [text] = settings.get(filterName) ?? [];
  const filter = text === undefined ? undefined : compileFilter(text, { ...rules, subject }, inUrl, errors, outOfRange);
  const groups = parseGroups(settings.get('group') ?? [], rules, errors);
  const shown = aggregates.flatMap((kind) => parseFigures(kind, settings.get(kind) ?? [], rules, errors)).map(inPlace);
  const isCounted = parseCount(settings.get('count')?.[0], errors) ?? shown.length === 0;
  const timeZone = parseTimeZone(settings.get('timezone')?.[0] ?? 'UTC', errors);
  for (const [name, values] of settings) if (values.length > 1 && !isList(name)) errors.push(givenTwice.at(name));
  for (const name of ofGroups) if (settings.has(name) && !settings.has('group')) errors.push(withoutGroup.at(name));
  const all = settings.has('sort') || settings.has('having') ? everyFigure(shown, rules.own) : shown;
  const asked = parseOfGroups(settings, { groups, figures: all }, rules, { others: errors, outOfRange });
  const named = new Set([...asked.sort.map(({ field }) => field.path), ...(asked.having ? (pathsOf(asked.having) ?? []) : [])]);
  const figures = all
    .map((figure) => ({ ...figure, isCompared: named.has(keyOfFigure(figure)) }))
    .filter(({ isShown, isCompared }) => isShown || isCompared);
  const question = { ...asked, groups, timeZone, conditions, filter, further, deleted, resource: rules.resource };
  const window = parseWindow(settings, question, rules.maxGroups, errors);
  errors.throwIfAny();
  refuseOutOfRange(outOfRange);
  const ofRecords = conditions.filter((condition) => !isConditionThrough(condition));
  const scan = boundOfScan({ conditions: ofRecords, filter }, rules.maxContainsMatches);
  return {
    conditions: ofRecords,
    through: conditions.filter(isConditionThrough),
    filter,
    groups,
    figures,
    isCounted,
    timeZone,
    ...asked,
    window: window?.(),
    ...(further && { further }),
    ...(scan && { scan }),
  };
}

function isAggregateParameter(name: string): name is AggregateParameter {
  return (aggregateParameters as readonly string[]).includes(name);
}

const lists: ReadonlySet<AggregateParameter> = new Set(['group', ...aggregates, 'sort']);

function isList(name: AggregateParameter): boolean {
  return lists.has(name);
}

/** The parameters that ask something of groups: without `group` there is only one. */
const ofGroups = ['having', 'sort', 'limit', 'after'] as const;

const withoutGroup = new Invalid('not_available', 'is not available without group');

function inPlace(figure: Pick<Figure, 'kind' | 'field'>, index: number): Figure {
  return { ...figure, index, isShown: true, isCompared: false };
}

function parseGroups(given: readonly string[], { own: fields }: AggregateRules, errors: ErrorSink): GroupKey[] {
  const keys: GroupKey[] = [];
  for (const name of new Set(given)) {
    const [, own = name, unit] = /^([^[\]]*)\[([^[\]]*)\]$/.exec(name) ?? [];
    const field = fields.get(own);
    if (!field || !isGroupable(field)) errors.push(notGroupable(own, fields).at('group'));
    else if (field.leaf?.name === 'date' ? !isDateUnit(unit) : unit !== undefined) errors.push(wrongUnit(own, field).at('group'));
    else keys.push({ name, field, ...(isDateUnit(unit) && { unit }) });
  }
  if (keys.length > maxGroupKeys)
    errors.push(new Invalid('maxItems', `must have at most ${maxGroupKeys} fields`, { limit: maxGroupKeys }).at('group'));
  return keys;
}

function isDateUnit(unit: string | undefined): unit is DateUnit {
  return (dateUnits as readonly (string | undefined)[]).includes(unit);
}

function wrongUnit(name: string, { leaf }: QueryField): Invalid {
  if (leaf?.name !== 'date') return new Invalid('parameter_syntax', `takes no unit for \`${name}\`, which is not a date`);
  return new Invalid('parameter_syntax', `needs a unit for \`${name}\`: \`${name}[month]\`. Units: ${dateUnits.join(', ')}`);
}

function parseFigures(
  kind: Aggregate,
  given: readonly string[],
  { own: fields }: AggregateRules,
  errors: ErrorSink,
): Pick<Figure, 'kind' | 'field'>[] {
  return [...new Set(given)].flatMap((name) => {
    const field = fields.get(name);
    if (field && figuresOf(field).has(kind)) return [{ kind, field }];
    errors.push(notAggregable(kind, name, fields).at(kind));
    return [];
  });
}

function notGroupable(name: string, fields: QueryFields): Invalid {
  const legal = [...fields.values()].filter(isGroupable).map((field) => field.name);
  return new Invalid('not_groupable', ...explain(name, legal, 'cannot group by'));
}

function notAggregable(kind: Aggregate, name: string, fields: QueryFields): Invalid {
  const legal = [...fields.values()].filter((field) => figuresOf(field).has(kind)).map((field) => field.name);
  return new Invalid('not_aggregable', ...explain(name, legal, 'cannot be asked of'));
}

function explain(name: string, legal: readonly string[], refusal: string): [message: string, params: object] {
  const suggestion = name === '' ? undefined : nearest(name, legal);
  const allowed = legal.length > 0 ? `. Allowed: ${listNames(legal)}` : '';
  const hint = suggestion === undefined ? allowed : `; did you mean \`${suggestion}\`?`;
  return [`${name === '' ? 'must name a field' : `${refusal} \`${name}\``}${hint}`, { name, suggestion }];
}

const notBoolean = new Invalid('type', 'must be true or false', { type: 'boolean' });

function parseCount(text: string | undefined, errors: ErrorSink): boolean | undefined {
  if (text !== undefined && text !== 'true' && text !== 'false') errors.push(notBoolean.at('count'));
  return text === undefined ? undefined : text === 'true';
}

/** The error of a time zone that is unknown: here, or to the database. */
export const notTimeZone = new Invalid('format', 'must be a time zone, such as Europe/Berlin or +02:00', { format: 'time-zone' });

const offset = /^[+-](?:0\d|1[0-4]):[0-5]\d$/;

function parseTimeZone(text: string, errors: ErrorSink): string {
  if (!offset.test(text) && !isNamedZone(text)) errors.push(notTimeZone.at('timezone'));
  return text;
}

function isNamedZone(text: string): boolean {
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}
