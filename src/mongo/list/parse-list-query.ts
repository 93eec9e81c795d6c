import { type ErrorSink, QueryErrors } from '../../http/query-errors.ts';
import { itemsOf, keyOf, type QueryParameter } from '../../http/query-string.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { QueryField, QueryFields } from '../../model/compile/query-fields.ts';
import { type Choosable, type FieldSelector, parseFields, type SelectedFields } from '../../model/read/select-fields.ts';
import { type Includable, relationsOf } from '../../model/relations/includable.ts';
import { Invalid } from '../../rules.ts';
import type { SortKey } from '../query/position.ts';
import { canonical, pathsIn } from '../through/expression.ts';
import type { Matching } from '../through/plan-through.ts';
import { isConditionThrough, throughFields } from '../through/through-field.ts';
import { type Asked, boundOfScan, type ReadFurther } from './asked.ts';
import { compileFilter, type FilterThrough, inBody, inUrl } from './compile-filter.ts';
import { type CursorBounds, parseCursor, textOfList } from './cursor.ts';
import { addsUp, isSettingName, refusalIn, type SettingName, type SettingRules, settingsOf } from './list-settings.ts';
import { type ConditionLimits, givenTwice, parseConditions, refuseOutOfRange } from './parse-conditions.ts';
import { deletedName, isDeleted } from './parse-deleted.ts';
import { isNarrowing, type NarrowableByPath, type NarrowedByPath, parseInclude, parseNarrowed } from './parse-include.ts';
import { type Paging, parseLimit, parsePageNumber, parseTotal, refusePaging, type Settings, type Window } from './parse-paging.ts';
import { parseSort } from './parse-sort.ts';

/** The query string of a list, validated and cast. */
export interface ListQuery extends Matching {
  /** The id is always the last key, or what stands for it. */
  readonly sort: readonly SortKey[];
  readonly limit: number;
  /** Which part of the list is asked for. */
  readonly window: Window;
  /** Whether to count all matches, or to estimate the size of the collection. */
  readonly total: 'exact' | 'estimate' | undefined;
  /** The fields that the client chose; undefined for every readable field. */
  readonly fields: SelectedFields | undefined;
  /** The fields that it chose of included records, by the names of `include`. @default every readable field */
  readonly includedFields?: ReadonlyMap<string, SelectedFields>;
  /** Whether the client may choose fields. */
  readonly isSelectable: boolean;
  /** Whether it asks for the whole list. @default false */
  readonly isWhole?: boolean;
  /** The relations to include. */
  readonly include: readonly string[];
  /** Of which of them the client asks for less, or for another order. @default none */
  readonly narrowed?: NarrowedByPath;
  /** What parameters of plug-ins ask for. */
  readonly further?: Asked | undefined;
}

/** The limits of filters and sorts. */
export interface FilterLimits extends ConditionLimits {
  /** The most keys of a sort, including the id. A page by cursor is one command, but has a range for each key. */
  readonly maxSortKeys: number;
  /** The most records that may be looked at for `contains`. */
  readonly maxContainsMatches: number;
}

/** The settings that the parser of a list takes from its resource. */
export interface ListRules extends FilterLimits, SettingRules {
  /** The name of the resource, which its cursors are bound to. */
  readonly resource: string;
  /** The fields of the model, and those of related records that filters and sorts may name. */
  readonly fields: QueryFields;
  /** The key that ends every sort: no two records have the same value. @default the id */
  readonly lastKey?: QueryField;
  readonly paging: Paging;
  /** The fields that clients may choose by `fields`; undefined if they may not choose. */
  readonly selector: FieldSelector | undefined;
  /** The relations that a filter may name. @default none */
  readonly through?: FilterThrough;
  /** The relations that `include` may name. */
  readonly includes: Pick<Includable, 'names' | 'relations'> & {
    readonly selectors?: Choosable['selectors'];
    readonly narrowable?: NarrowableByPath;
  };
  /** The names of the parameters that plug-ins add to the list. @default none */
  readonly further?: readonly string[];
}

/** The parameters that an unknown one could be meant for: those that this list takes. */
function parametersOf(rules: ListRules, { deleted }: ListContext): string[] {
  return [...settingsOf(rules), ...(deleted === undefined ? [] : [deletedName]), ...(rules.further ?? [])];
}

/** The settings that the parser of a list takes from the request. */
export interface ListContext extends CursorBounds {
  /**
   * Whether the list shows only a part of the collection: the number of its records cannot be estimated.
   *
   * @default false
   */
  readonly isPartial?: boolean;
  /** Whether the parameters stand in a body, and not in a URL. @default false */
  readonly isInBody?: boolean;
  /** Reads the parameters of plug-ins. Undefined for a request without them. */
  readonly readFurther?: ReadFurther | undefined;
  /** Undefined if clients may not ask for deleted records, and the parameter is unknown. */
  readonly deleted?: CursorBounds['deleted'];
}

/**
 * Parses the query string of a list. Fields and operators come from tables of the model; the type of the field casts
 * the value. Throws `invalid_query` (400) with the first 20 errors, `validation_failed` (422) for an integer of more
 * than 64 bits, and `invalid_cursor` (400).
 */
export function parseListQuery(given: readonly QueryParameter[], rules: ListRules, asked: ListContext = {}): ListQuery {
  const { paging, selector, includes, isWhole = false } = rules;
  const { isPartial = false, isInBody = false, deleted, readFurther } = asked;
  const errors = new QueryErrors();
  const { asked: found, others: parameters } = readFurther?.(errors) ?? { asked: undefined, others: given };
  const settings = new Map<SettingName, string[]>();
  const { narrowable = nothingNarrowable } = includes;
  const filters: QueryParameter[] = [];
  const narrowing: QueryParameter[] = [];
  for (const parameter of parameters) {
    const { name, operator, isItem, value } = parameter;
    const isSetting = isSettingName(name) && operator === undefined && (addsUp(name) || !isItem);
    const refusal = isSetting ? refusalIn(rules, name) : undefined;
    if (refusal) errors.push(refusal.at(name));
    else if (isSetting) settings.set(name, [...(settings.get(name) ?? []), ...(addsUp(name) ? itemsOf(parameter) : [value])]);
    else if (isNarrowing(parameter, narrowable)) narrowing.push(parameter);
    else if (deleted === undefined || !isDeleted(parameter)) filters.push(parameter);
  }
  const { conditions, outOfRange } = parseConditions(
    filters,
    rules,
    { parameters: () => parametersOf(rules, asked), subject: 'this list' },
    errors,
  );
  const [text] = settings.get('filter') ?? [];
  const filter = text === undefined ? undefined : compileFilter(text, rules, isInBody ? inBody : inUrl, errors, outOfRange);
  const further = found && inOrder(found, isWhole || settings.has('sort'));
  const sort = parseSort(settings.get('sort') ?? [], rules, errors);
  const limit = parseLimit(settings, paging, errors);
  const number = paging.mode === 'offset' ? parsePageNumber(settings, limit, paging, errors) : undefined;
  const isFiltered = conditions.length > 0 || filter !== undefined || further !== undefined;
  const total = parseTotal(settings, paging, { isFiltered, isPartial }, errors);
  const included = settings.get('include');
  const include = included ? parseInclude(included, includes.names, errors) : [];
  const narrowed = narrowing.length > 0 ? parseNarrowing(narrowing, included, rules, errors) : undefined;
  const fields = settings.get('fields');
  const chosen = selector && fields && parseFields(fields, selector, errors, choosable(include, includes));
  refuseSettings(settings, rules, errors);
  errors.throwIfAny();
  refuseOutOfRange(outOfRange);
  const window: Window =
    further && (further.order || further.text === undefined) // a cursor is a position in a sort, and knows what was asked
      ? { mode: 'only', isNumbered: number !== undefined }
      : number === undefined
        ? parseWindow(settings, { conditions, filter, sort, further }, rules.resource, asked)
        : { mode: 'offset', number };
  const own = conditions.filter((condition) => !isConditionThrough(condition));
  const through = conditions.filter(isConditionThrough);
  const isSelectable = selector !== undefined;
  const scan = own.length > 0 || filter ? boundOfScan({ conditions: own, filter }, rules.maxContainsMatches) : undefined;
  const ofIncluded = chosen && chosen.ofIncluded.size > 0 ? { includedFields: chosen.ofIncluded } : {};
  return {
    conditions: own,
    through,
    filter,
    sort,
    limit,
    window,
    total,
    fields: chosen?.own,
    isSelectable,
    include,
    ...ofIncluded,
    ...(narrowed && { narrowed }),
    ...(isWhole && { isWhole }),
    ...(further && { further }),
    ...(scan && { scan }),
  };
}

const nothingNarrowable: NarrowableByPath = new Map();

/** What a client asks of included relations. A list that is answered whole includes none. */
function parseNarrowing(
  given: readonly QueryParameter[],
  include: readonly string[] = [],
  rules: ListRules,
  errors: ErrorSink,
): NarrowedByPath | undefined {
  const refusal = refusalIn(rules, 'include');
  if (!refusal) return parseNarrowed(given, include, rules.includes.narrowable ?? nothingNarrowable, errors);
  for (const one of given) errors.push(refusal.at(keyOf(one)));
  return undefined;
}

/** What a plug-in finds: in its own order, unless the request has one. */
function inOrder({ order, ...found }: Asked, isSorted: boolean): Asked {
  return order && !isSorted ? { ...found, order } : found;
}

function choosable(include: readonly string[], includes: ListRules['includes']): Choosable {
  return { include, relations: relationsOf(include, includes), selectors: includes.selectors ?? new Map() };
}

function parseWindow(
  settings: Settings,
  { conditions, filter, sort, further }: Pick<ListQuery, 'conditions' | 'filter' | 'sort' | 'further'>,
  resource: string,
  bounds: CursorBounds,
): Window {
  const named = [
    ...throughFields({ through: conditions.filter(isConditionThrough), sort }).map(({ steps }) => steps),
    ...(filter ? pathsIn(filter) : []),
  ];
  const views = named.length > 0 ? viewsOf(named.flat().map(({ source }) => source.model)) : [];
  const list = textOfList([resource, ...views].join(' '), sort, conditions, {
    deleted: bounds.deleted,
    parent: bounds.parent,
    filter: filter && canonical(filter),
    further: further?.text,
  });
  const [before, after] = ['before', 'after'].map((name) => settings.get(name)?.[0]);
  const cursor = before ?? after;
  const from = cursor === undefined ? undefined : parseCursor(cursor, list, sort);
  return { mode: 'cursor', from, direction: before === undefined ? 1 : -1, list };
}

/**
 * A cursor belongs to the view that it came from: what the caller does not see cannot be a part of its sort. Of related
 * records those count that the query names: the rules of others may not have been asked.
 */
export function viewsOf(models: Iterable<Pick<CompiledModel, 'name' | 'held'>>): string[] {
  return [...new Set(models)].flatMap(({ name, held }) => (held ? `${name}:${held.join(',')}` : []));
}

function refuseSettings(settings: ReadonlyMap<SettingName, readonly string[]>, { paging, selector }: ListRules, errors: ErrorSink): void {
  refusePaging(settings, paging, errors);
  for (const [name, values] of settings) {
    if (name === 'fields' && !selector) errors.push(new Invalid('not_available', 'is not available for this list').at(name));
    else if (values.length > 1 && !addsUp(name)) errors.push(givenTwice.at(name));
  }
}
