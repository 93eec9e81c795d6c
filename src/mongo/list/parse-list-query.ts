import { validationFailed } from '../../errors.ts';
import { firstNames, listNames, nearest } from '../../hints.ts';
import { parseInclude } from '../../http/parse-include.ts';
import { type ErrorSink, maxErrors, QueryErrors } from '../../http/query-errors.ts';
import { itemsOf, type QueryParameter } from '../../http/query-string.ts';
import type { QueryField, QueryFields } from '../../model/compile/query-fields.ts';
import { type Operator, operators } from '../../model/define/policy.ts';
import { type Includable, relationsOf } from '../../model/read/relations.ts';
import { type FieldSelector, parseFields, type SelectedFields } from '../../model/read/select-fields.ts';
import { type FieldError, Invalid } from '../../rules.ts';
import type { Condition } from '../query/filter.ts';
import type { SortKey } from '../query/position.ts';
import { digestQuery, parseCursor } from './cursor.ts';
import { type Paging, parseLimit, parsePageNumber, parseTotal, refusePaging, type Settings, type Window } from './parse-paging.ts';

/** The query string of a list, validated and cast. */
export interface ListQuery {
  readonly conditions: readonly Condition[];
  /** The id is always the last key. */
  readonly sort: readonly SortKey[];
  readonly limit: number;
  /** Which part of the list is asked for. */
  readonly window: Window;
  /** Whether to count all matches, or to estimate the size of the collection. */
  readonly total: 'exact' | 'estimate' | undefined;
  /** The fields that the client chose; undefined for every readable field. */
  readonly fields: SelectedFields | undefined;
  /** Whether the client may choose fields. */
  readonly isSelectable: boolean;
  /** The relations to include. */
  readonly include: readonly string[];
}

/** The limits of filters and sorts. */
export interface FilterLimits {
  /** The most values of one `in` or `nin`. */
  readonly maxFilterValues: number;
  /** The most characters of a `prefix`, in Unicode code points. */
  readonly maxPrefix: number;
  /** The most keys of a sort, including the id. A page by cursor is one command, but has a range for each key. */
  readonly maxSortKeys: number;
}

/** What the parser of a list needs to know of its resource. */
export interface ListRules extends FilterLimits {
  /** The name of the resource in the digest of its cursors. */
  readonly resource: string;
  readonly fields: QueryFields;
  readonly paging: Paging;
  /** The fields that clients may choose by `fields`; undefined if they may not choose. */
  readonly selector: FieldSelector | undefined;
  /** The relations that `include` may name. */
  readonly includes: Includable;
}

/** The parameters of every list. No filterable field may have such a name. */
export const listParameters = ['limit', 'sort', 'after', 'before', 'page', 'include', 'total', 'fields'] as const;
type ListParameter = (typeof listParameters)[number];

/** Parameters that may be given several times. */
const addingUp: ReadonlySet<ListParameter> = new Set(['sort', 'fields', 'include']);

/**
 * Parses the query string of a list. Fields and operators come from tables of the model; the type of the field casts the value. `isScoped` says
 * whether the request sees only a part of the records: their number cannot be estimated. Throws `invalid_query` (400) with the first 20 errors,
 * `validation_failed` (422) for an integer of more than 64 bits, and `invalid_cursor` (400).
 */
export function parseListQuery(parameters: readonly QueryParameter[], rules: ListRules, isScoped = false): ListQuery {
  const { paging, selector, includes } = rules;
  const errors = new QueryErrors();
  const settings = new Map<ListParameter, string[]>();
  const conditions: Condition[] = [];
  const outOfRange: FieldError[] = [];
  for (const parameter of parameters) {
    const { name, operator, isItem, value } = parameter;
    if (isListParameter(name) && operator === undefined && (addingUp.has(name) || !isItem)) {
      settings.set(name, [...(settings.get(name) ?? []), ...(addingUp.has(name) ? itemsOf(parameter) : [value])]);
    } else {
      const condition = parseCondition(parameter, rules);
      if (!(condition instanceof Invalid)) addCondition(conditions, condition, rules, errors);
      else (condition.rule === 'out_of_range' ? outOfRange : errors).push(condition.at(keyOf(parameter)));
    }
  }
  const sort = parseSort(settings.get('sort') ?? [], rules, errors);
  const limit = parseLimit(settings, paging, errors);
  const number = paging.mode === 'offset' ? parsePageNumber(settings, limit, paging, errors) : undefined;
  const total = parseTotal(settings, paging, { isFiltered: conditions.length > 0, isScoped }, errors);
  const include = parseInclude(settings.get('include') ?? [], includes.names, errors);
  const fields = selector && parseFields(settings.get('fields') ?? [], selector, errors, relationsOf(include, includes));
  refuseSettings(settings, rules, errors);
  errors.throwIfAny();
  if (outOfRange.length > 0) throw validationFailed(outOfRange.slice(0, maxErrors));
  const window: Window = number === undefined ? parseWindow(settings, { conditions, sort }, rules.resource) : { mode: 'offset', number };
  return { conditions, sort, limit, window, total, fields, isSelectable: selector !== undefined, include };
}

function parseWindow(settings: Settings, { conditions, sort }: Pick<ListQuery, 'conditions' | 'sort'>, resource: string): Window {
  const digest = digestQuery(resource, sort, conditions);
  const [before, after] = ['before', 'after'].map((name) => settings.get(name)?.[0]);
  const cursor = before ?? after;
  const from = cursor === undefined ? undefined : parseCursor(cursor, digest, sort);
  return { mode: 'cursor', from, direction: before === undefined ? 1 : -1, digest };
}

function isListParameter(name: string): name is ListParameter {
  return (listParameters as readonly string[]).includes(name);
}

function keyOf({ name, operator, isItem }: QueryParameter): string {
  return `${name}${operator === undefined ? '' : `[${operator}]`}${isItem ? '[]' : ''}`;
}

const oneValue = new Invalid('parameter_syntax', 'takes one value: [] is for lists of them, behind [in] or [nin]');

function parseCondition(parameter: QueryParameter, rules: ListRules): Condition | Invalid {
  const { fields } = rules;
  const { name, operator: bracketed, isItem } = parameter;
  const field = fields.get(name);
  if (!field) return unknownParameter(name, fields);
  const operator = operators.find((one) => one === (bracketed ?? 'eq'));
  if (!operator || !field.operators.has(operator)) return refuseOperator(field, bracketed ?? 'eq', fields);
  if (isItem && operator !== 'in' && operator !== 'nin') return oneValue;
  const cast = castOperand(field, operator, parameter, rules);
  return cast instanceof Invalid ? cast : { field, operator, value: cast };
}

function unknownParameter(name: string, fields: QueryFields): Invalid {
  const suggestion = nearest(name, [...filterableNames(fields), ...listParameters]);
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
  return new Invalid('unknown_parameter', `is not a field or parameter of this list${hint}`, { suggestion });
}

function refuseOperator(field: QueryField, operator: string, fields: QueryFields): Invalid {
  if (field.operators.size === 0) {
    const filterable = filterableNames(fields);
    const hint = filterable.length > 0 ? `: these can: ${listNames(filterable)}` : '';
    return new Invalid('not_filterable', `cannot be filtered${hint}`, { fields: firstNames(filterable) });
  }
  const own = [...field.operators];
  return new Invalid('unknown_operator', `does not have the operator ${operator}: it has ${own.join(', ')}`, { operators: own });
}

function filterableNames(fields: QueryFields): string[] {
  return [...fields.values()].filter((field) => field.operators.size > 0).map((field) => field.name);
}

/** Casts the text of a parameter to the value that its operator compares with. */
function castOperand(field: QueryField, operator: Operator, parameter: QueryParameter, limits: FilterLimits): unknown {
  const { isItem, value: text } = parameter;
  if (operator === 'exists') return castExists(text);
  if (operator === 'prefix') return castPrefix(text, limits);
  if (operator !== 'in' && operator !== 'nin') return castOne(field, text, operator === 'eq' || operator === 'ne');
  const texts = text === '' && !isItem ? [] : itemsOf(parameter);
  if (texts.length > limits.maxFilterValues) return tooManyValues(limits);
  const values: unknown[] = [];
  for (const one of texts) {
    const value = castOne(field, one, true);
    if (value instanceof Invalid) return value;
    values.push(value);
  }
  return values;
}

function tooManyValues({ maxFilterValues }: FilterLimits): Invalid {
  return new Invalid('maxItems', `must have at most ${maxFilterValues} values`, { limit: maxFilterValues });
}

function castPrefix(text: string, { maxPrefix }: FilterLimits): string | Invalid {
  return [...text].length > maxPrefix ? new Invalid('maxLength', `must have at most ${maxPrefix} characters`, { limit: maxPrefix }) : text;
}

const notBoolean = new Invalid('type', 'must be true or false', { type: 'boolean' });

function castExists(text: string): boolean | Invalid {
  if (text === 'true') return true;
  return text === 'false' ? false : notBoolean;
}

function castOne(field: QueryField, text: string, mayBeNull: boolean): unknown {
  if (!field.leaf) return new Invalid('not_comparable', 'cannot be compared');
  const value = field.leaf.fromText(text);
  // `null` is text for a string, and for an enum with a member of that name. As base64 it would happen to be three bytes.
  const isNull = text === 'null' && field.nullable && (value instanceof Invalid || field.leaf.name === 'binary');
  if (!isNull) return value;
  return mayBeNull ? null : new Invalid('not_null', 'cannot be null: nothing is greater or less');
}

const givenTwice = new Invalid('repeated_parameter', 'is given twice');

/** `in` and `nin` may be repeated, and their values are added up. Everything else may be given once. */
function addCondition(conditions: Condition[], condition: Condition, limits: FilterLimits, errors: ErrorSink): void {
  const { field, operator } = condition;
  const index = conditions.findIndex((one) => one.field === field && one.operator === operator);
  const earlier = conditions[index];
  if (!earlier) {
    conditions.push(condition);
  } else if (operator !== 'in' && operator !== 'nin') {
    errors.push(givenTwice.at(operator === 'eq' ? field.name : `${field.name}[${operator}]`));
  } else {
    const values = [...(earlier.value as unknown[]), ...(condition.value as unknown[])];
    if (values.length > limits.maxFilterValues) errors.push(tooManyValues(limits).at(`${field.name}[${operator}]`));
    else conditions[index] = { ...condition, value: values };
  }
}

function parseSort(given: readonly string[], { fields, maxSortKeys }: ListRules, errors: ErrorSink): SortKey[] {
  const id = fields.get('id') as QueryField;
  const keys: SortKey[] = [];
  for (const text of given) {
    const name = text.startsWith('-') ? text.slice(1) : text;
    const field = fields.get(name);
    const isTwice = keys.some((key) => key.field === field);
    if (!field?.sortable) errors.push(describeUnsortable(name, fields).at('sort'));
    else if (isTwice) errors.push(new Invalid('repeated_sort_key', `names ${name} twice`, { name }).at('sort'));
    else keys.push({ field, direction: text.startsWith('-') ? -1 : 1 });
  }
  const all = endWithId(keys, id);
  const tooMany = `must have at most ${maxSortKeys} keys, the id included`;
  if (all.length > maxSortKeys) errors.push(new Invalid('maxItems', tooMany, { limit: maxSortKeys }).at('sort'));
  return all;
}

/**
 * Adds the id as the last key, in the direction of the key before it, so that an index on `{ x: 1, _id: 1 }` also serves `sort=-x`. Keys behind
 * the id are removed: ids are unique, so they order nothing, and no index would serve such a sort.
 */
export function endWithId(keys: readonly SortKey[], id: QueryField): SortKey[] {
  const at = keys.findIndex(({ field }) => field.path === id.path);
  return at === -1 ? [...keys, { field: id, direction: keys.at(-1)?.direction ?? 1 }] : keys.slice(0, at + 1);
}

function describeUnsortable(name: string, fields: QueryFields): Invalid {
  const sortable = [...fields.values()].filter((field) => field.sortable).map((field) => field.name);
  const suggestion = nearest(name, sortable);
  const legal = sortable.length > 0 ? `it can be by ${listNames(sortable)}` : 'this list has one order only';
  const hint = suggestion === undefined ? `: ${legal}` : `; did you mean ${suggestion}?`;
  return new Invalid('not_sortable', `cannot be by ${name === '' ? 'nothing' : name}${hint}`, { name, suggestion });
}

function refuseSettings(settings: ReadonlyMap<ListParameter, readonly string[]>, { paging, selector }: ListRules, errors: ErrorSink): void {
  refusePaging(settings, paging, errors);
  for (const [name, values] of settings) {
    if (name === 'fields' && !selector) errors.push(new Invalid('not_available', 'is not available for this list').at(name));
    else if (values.length > 1 && !addingUp.has(name)) errors.push(givenTwice.at(name));
  }
}
