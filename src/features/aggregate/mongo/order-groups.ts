import { BSON } from 'mongodb';
import type { FilterCalls } from '../../../filter/parse-filter.ts';
import type { ErrorSink } from '../../../http/query-errors.ts';
import type { QueryField, QueryFields } from '../../../model/compile/query-fields.ts';
import type { Operator } from '../../../model/operators/operators.ts';
import type { Leaf } from '../../../model/value/leaf.ts';
import { decimalLeaf, int64Leaf } from '../../../model/value/number-leaves.ts';
import type { Visible } from '../../../mongo/lifecycle/lifecycle.ts';
import { compileFilter, type FilterRules, inUrl } from '../../../mongo/list/compile-filter.ts';
import { parseCursor, textOfList } from '../../../mongo/list/cursor.ts';
import { viewsOf } from '../../../mongo/list/parse-list-query.ts';
import { parseLimit, type Settings } from '../../../mongo/list/parse-paging.ts';
import { parseSortKeys } from '../../../mongo/list/parse-sort.ts';
import { filterOf } from '../../../mongo/predicate/filter-of.ts';
import type { Condition } from '../../../mongo/predicate/predicate.ts';
import type { SortKey } from '../../../mongo/query/position.ts';
import { canonical, canonicalText, type Expression, pathsIn } from '../../../mongo/through/expression.ts';
import type { Finding } from '../../../mongo/through/plan-through.ts';
import { isConditionThrough, throughFields } from '../../../mongo/through/through-field.ts';
import { type FieldError, Invalid } from '../../../rules.ts';
import { figuresOf } from '../policy.ts';
import { aggregates, maxGroupSorts } from '../types.ts';
import { type AskedOfGroups, type Figure, type GroupKey, type GroupWindow, keyOfFigure, typeOf } from './question.ts';

/** What may be asked of groups, and where the database has it. */
export interface GroupPlaces {
  readonly groups: readonly GroupKey[];
  /** Those that are shown, and then all others that the caller may ask for. */
  readonly figures: readonly Figure[];
}

/** All figures that a client may ask for: those that are shown come first. */
export function everyFigure(shown: readonly Figure[], fields: QueryFields): Figure[] {
  const known = new Set(shown.map(nameOfFigure));
  const all = [...shown];
  for (const field of fields.values())
    for (const kind of aggregates)
      if (figuresOf(field).has(kind) && !known.has(nameOfFigure({ kind, field })))
        all.push({ kind, field, index: all.length, isShown: false, isCompared: true });
  return all;
}

/** A figure as `sort` and `having` name it: `sum(amount)`. */
function nameOfFigure({ kind, field }: Pick<Figure, 'kind' | 'field'>): string {
  return `${kind}(${field.name})`;
}

/** Parses `sort` and `having`. The values of the groups are always the last keys: no two groups have the same. */
export function parseOfGroups(
  settings: Settings,
  { groups, figures }: GroupPlaces,
  rules: FilterRules,
  errors: GroupErrors,
): AskedOfGroups {
  const keys = groups.map(({ name, field }, index) => aPlace(name, `_id.k${index}`, typeOf(field)));
  const numbers = [
    aPlace('count', 'count', int64Leaf, false),
    ...figures.map((figure) => aPlace(nameOfFigure(figure), keyOfFigure(figure), typeOfFigure(figure), figure.kind !== 'countDistinct')),
  ];
  const [text] = settings.get(havingName) ?? [];
  const given = settings.get('sort') ?? [];
  const sort = given.length > 0 ? parseSortKeys(given, byName([...keys, ...numbers]), errors.others) : [];
  if (sort.length > maxGroupSorts)
    errors.others.push(new Invalid('maxItems', `must have at most ${maxGroupSorts} keys`, { limit: maxGroupSorts }).at('sort'));
  const { maxFilterValues, maxPrefix } = rules;
  const ofGroups: FilterRules = { fields: byName(numbers), maxFilterValues, maxPrefix, subject: 'a group', parameter: havingName, calls };
  return {
    sort: [...sort, ...keys.filter((key) => !sort.some(({ field }) => field.name === key.name)).map(ascending)],
    having: text === undefined ? undefined : compileFilter(text, ofGroups, inUrl, errors.others, errors.outOfRange),
  };
}

/** Where mistakes are collected. */
interface GroupErrors {
  readonly others: ErrorSink;
  /** Those of integers of more than 64 bits. */
  readonly outOfRange: FieldError[];
}

const havingName = 'having';

const calls: FilterCalls = new Map(aggregates.map((kind) => [kind, { takesText: false, isValue: true }]));

function ascending(field: QueryField): SortKey {
  return { field, direction: 1 };
}

function byName(fields: readonly QueryField[]): QueryFields {
  return new Map(fields.map((field) => [field.name, field]));
}

const comparing: ReadonlySet<Operator> = new Set(['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in']);

function aPlace(name: string, path: string, leaf: Leaf, nullable = true): QueryField {
  return {
    name,
    path,
    caseless: undefined,
    leaf,
    nullable,
    inList: false,
    isId: false,
    array: undefined,
    operators: comparing,
    sortable: true,
    grants: new Map(),
  };
}

/** The type of a figure in the groups of the database: sums and averages of integers are decimals there. */
function typeOfFigure({ kind, field }: Figure): Leaf {
  if (kind === 'countDistinct') return int64Leaf;
  const own = typeOf(field);
  const isExact = (kind === 'sum' || kind === 'avg') && own.name !== 'float';
  return isExact ? decimalLeaf : own;
}

/** What a cursor of groups is bound to, beside the groups and their order. */
export interface GroupQuestion extends AskedOfGroups {
  readonly groups: readonly GroupKey[];
  readonly timeZone: string;
  readonly conditions: readonly Condition[];
  readonly filter: Expression | undefined;
  readonly further: (Finding & { readonly text?: string }) | undefined;
  readonly deleted: Visible | undefined;
  /** The name of the resource, with what its view depends on. */
  readonly resource: string;
}

/** Parses `limit` and `after`. Undefined without them: then all groups are one answer. */
export function parseWindow(
  settings: Settings,
  question: GroupQuestion,
  maxGroups: number,
  errors: ErrorSink,
): (() => GroupWindow) | undefined {
  if (!settings.has('limit') && !settings.has('after')) return undefined;
  const size = parseLimit(settings, { max: maxGroups, size: maxGroups }, errors);
  const [cursor] = settings.get('after') ?? [];
  return () => {
    const list = textOfQuestion(question);
    return { size, from: cursor === undefined ? undefined : parseCursor(cursor, list, question.sort), list };
  };
}

/** A text that no other question about groups has. What is shown of each group is no part of it. */
function textOfQuestion({ resource, groups, timeZone, sort, having, conditions, filter, further, deleted }: GroupQuestion): string {
  const steps = [
    ...throughFields({ through: conditions.filter(isConditionThrough) }).flatMap((field) => field.steps),
    ...(filter ? pathsIn(filter).flat() : []),
  ];
  const found = further && (further.text ?? BSON.EJSON.stringify(filterOf(further.within), { relaxed: false }));
  const ofGroups = [groups.map(({ name }) => name), timeZone, having ? canonicalText(having) : null, found ?? null];
  return textOfList([resource, ...viewsOf(steps.map(({ source }) => source.model))].join(' '), sort, conditions, {
    deleted,
    filter: filter && canonical(filter),
    further: JSON.stringify(['groups', ...ofGroups]),
  });
}
