import { ConfigurationError, type FieldError, Problem, validationFailed } from '../errors.ts';
import { nearest } from '../http/near-miss.ts';
import { parseInclude } from '../http/parse-include.ts';
import type { QueryParameter } from '../http/query-string.ts';
import { Invalid } from '../model/leaf.ts';
import { maxPrefix, maxValues, type Operator, operators } from '../model/policy.ts';
import type { QueryField, QueryFields } from '../model/query-fields.ts';
import { type CursorValue, digestQuery, parseCursor } from './cursor.ts';
import type { Condition } from './filter.ts';

/** One key of a sort, with its direction as the database writes it. */
export interface SortKey {
  readonly field: QueryField;
  readonly direction: 1 | -1;
}

/** Key-set paging: the settings of `cursorPaging()`. */
export interface Paging {
  /** Largest page a client can ask for. */
  readonly max: number;
  /** Page size when `limit` is omitted. */
  readonly size: number;
  /** Whether `total=true` is allowed. */
  readonly total: boolean;
}

/** Refuses what `cursorPaging()` did not return, where TypeScript has not. */
export function checkPaging(paging: Paging): void {
  const isPaging = Number.isInteger(paging?.size) && Number.isInteger(paging.max) && paging.size >= 1 && paging.max >= paging.size;
  if (!isPaging) throw new ConfigurationError('`paging` must be what `cursorPaging()` returns.');
}

/** A list's query string, checked and cast: what is left is to run it. */
export interface ListQuery {
  readonly conditions: readonly Condition[];
  /** The id is always the last key. */
  readonly sort: readonly SortKey[];
  readonly limit: number;
  /** The sort values of the record that the page begins behind. */
  readonly after: readonly CursorValue[] | undefined;
  readonly total: boolean;
  /** The relations to embed. */
  readonly include: readonly string[];
  /** Binds cursors to the resource, the sort and the filter. */
  readonly digest: string;
}

/** What the parser of a list needs to know of its resource. */
export interface ListRules {
  /** Names the resource in the digest of its cursors. */
  readonly resource: string;
  readonly fields: QueryFields;
  readonly paging: Paging;
  /** The relations that `include` may name. */
  readonly include: readonly string[];
}

/** Names that a query string uses itself: no filterable field may have one. */
export const listParameters = ['limit', 'sort', 'after', 'before', 'page', 'include', 'total', 'fields'] as const;
type ListParameter = (typeof listParameters)[number];

/**
 * Parses a list's query string (spec, "List query string"). Fields and operators come from tables that the model made; values are cast by
 * the field's type. Throws `invalid_query` (400) with every error at once; `validation_failed` (422) for an integer of more than 64 bits;
 * `invalid_cursor` (400).
 */
export function parseListQuery(parameters: readonly QueryParameter[], rules: ListRules): ListQuery {
  const errors: FieldError[] = [];
  const settings = new Map<ListParameter, string[]>();
  const conditions: Condition[] = [];
  const outOfRange: FieldError[] = [];
  for (const parameter of parameters) {
    if (isListParameter(parameter.name) && parameter.operator === undefined) {
      settings.set(parameter.name, [...(settings.get(parameter.name) ?? []), parameter.value]);
    } else {
      const condition = parseCondition(parameter, rules.fields);
      if (!(condition instanceof Refusal)) addCondition(conditions, condition, errors);
      else (condition.outOfRange ? outOfRange : errors).push({ field: keyOf(parameter), message: condition.message });
    }
  }
  const sort = parseSort(settings.get('sort') ?? [], rules, errors);
  const limit = parseLimit(settings, rules.paging, errors);
  const total = parseTotal(settings, rules.paging, errors);
  const include = parseInclude(settings.get('include') ?? [], rules.include, errors);
  refuseSettings(settings, errors);
  if (errors.length > 0) throw new Problem('invalid_query', 'The query string is not acceptable; see "errors".', { errors });
  if (outOfRange.length > 0) throw validationFailed(outOfRange);
  return bindCursor(settings.get('after')?.[0], { conditions, sort, limit, total, include }, rules.resource);
}

function bindCursor(cursor: string | undefined, query: Omit<ListQuery, 'after' | 'digest'>, resource: string): ListQuery {
  const digest = digestQuery(resource, query.sort, query.conditions);
  return { ...query, digest, after: cursor === undefined ? undefined : parseCursor(cursor, digest, query.sort) };
}

class Refusal extends Invalid {}

function isListParameter(name: string): name is ListParameter {
  return (listParameters as readonly string[]).includes(name);
}

function keyOf({ name, operator }: QueryParameter): string {
  return operator === undefined ? name : `${name}[${operator}]`;
}

function parseCondition({ name, operator: bracketed, value }: QueryParameter, fields: QueryFields): Condition | Refusal {
  const field = fields.get(name);
  if (!field) return unknownParameter(name, fields);
  const operator = operators.find((one) => one === (bracketed ?? 'eq'));
  if (!operator || !field.operators.has(operator)) return refuseOperator(field, bracketed ?? 'eq', fields);
  const cast = castOperand(field, operator, value);
  return cast instanceof Invalid ? new Refusal(cast.message, cast.outOfRange) : { field, operator, value: cast };
}

function unknownParameter(name: string, fields: QueryFields): Refusal {
  const filterable = [...fields.values()].filter((field) => field.operators.size > 0).map((field) => field.name);
  const hint = nearest(name, [...filterable, ...listParameters]);
  return new Refusal(`is no field or parameter of this list${hint === undefined ? '' : `; did you mean ${hint}?`}`);
}

function refuseOperator(field: QueryField, operator: string, fields: QueryFields): Refusal {
  if (field.operators.size === 0) {
    const filterable = [...fields.values()].filter((one) => one.operators.size > 0).map((one) => one.name);
    return new Refusal(`cannot be filtered${filterable.length > 0 ? `: these can: ${filterable.join(', ')}` : ''}`);
  }
  return new Refusal(`does not have the operator ${operator}: it has ${[...field.operators].join(', ')}`);
}

/** Casts the text of one parameter to what its operator compares with (decisions, "Casts"). */
function castOperand(field: QueryField, operator: Operator, text: string): unknown {
  if (operator === 'exists') return castExists(text);
  if (operator === 'prefix') return text.length > maxPrefix ? new Invalid(`must have at most ${maxPrefix} characters`) : text;
  if (operator !== 'in' && operator !== 'nin') return castOne(field, text, operator === 'eq' || operator === 'ne');
  const texts = text === '' ? [] : text.split(',');
  if (texts.length > maxValues) return tooManyValues;
  const values = texts.map((one) => castOne(field, one, true));
  return values.find((value) => value instanceof Invalid) ?? values;
}

const tooManyValues = new Invalid(`must have at most ${maxValues} values`);

function castExists(text: string): boolean | Invalid {
  if (text === 'true') return true;
  return text === 'false' ? false : new Invalid('must be true or false');
}

function castOne(field: QueryField, text: string, mayBeNull: boolean): unknown {
  if (!field.leaf) return new Invalid('cannot be compared');
  const value = field.leaf.fromText(text);
  const isNull = text === 'null' && field.nullable && field.leaf.name !== 'string' && value instanceof Invalid;
  return isNull && mayBeNull ? null : value;
}

/** `in` and `nin` may be repeated, their values add up; everything else may be given once. */
function addCondition(conditions: Condition[], condition: Condition, errors: FieldError[]): void {
  const { field, operator } = condition;
  const index = conditions.findIndex((one) => one.field === field && one.operator === operator);
  const earlier = conditions[index];
  if (!earlier) {
    conditions.push(condition);
  } else if (operator !== 'in' && operator !== 'nin') {
    errors.push({ field: operator === 'eq' ? field.name : `${field.name}[${operator}]`, message: 'is given twice' });
  } else {
    const values = [...(earlier.value as unknown[]), ...(condition.value as unknown[])];
    if (values.length > maxValues) errors.push({ field: `${field.name}[${operator}]`, message: tooManyValues.message });
    else conditions[index] = { ...condition, value: values };
  }
}

/** The database sorts by 32 keys at most, and the id is one of them. */
const maxSortKeys = 31;

function parseSort(texts: readonly string[], { fields }: ListRules, errors: FieldError[]): SortKey[] {
  const id = fields.get('id') as QueryField;
  const keys: SortKey[] = [];
  for (const text of texts.flatMap((one) => one.split(','))) {
    const name = text.startsWith('-') ? text.slice(1) : text;
    const field = fields.get(name);
    const isTwice = keys.some((key) => key.field === field);
    if (!field?.sortable) errors.push({ field: 'sort', message: describeUnsortable(name, fields) });
    else if (isTwice) errors.push({ field: 'sort', message: `names ${name} twice` });
    else keys.push({ field, direction: text.startsWith('-') ? -1 : 1 });
  }
  if (keys.length > maxSortKeys) errors.push({ field: 'sort', message: `must have at most ${maxSortKeys} keys` });
  if (keys.some((key) => key.field.path === id.path)) return keys;
  // In the direction of the key before it, so that an index on `{ x: 1, _id: 1 }` serves `sort=-x` as well.
  return [...keys, { field: id, direction: keys.at(-1)?.direction ?? 1 }];
}

function describeUnsortable(name: string, fields: QueryFields): string {
  const sortable = [...fields.values()].filter((field) => field.sortable).map((field) => field.name);
  const hint = nearest(name, sortable);
  if (hint !== undefined) return `cannot be by ${name}; did you mean ${hint}?`;
  return `cannot be by ${name === '' ? 'nothing' : name}: ${sortable.length > 0 ? `it can be by ${sortable.join(', ')}` : 'this list has one order only'}`;
}

function parseLimit(settings: ReadonlyMap<ListParameter, readonly string[]>, paging: Paging, errors: FieldError[]): number {
  const text = settings.get('limit')?.[0];
  if (text === undefined) return paging.size;
  if (!/^\d+$/.test(text) || Number(text) < 1) {
    errors.push({ field: 'limit', message: 'must be a whole number of at least 1, in digits' });
    return paging.size;
  }
  return Math.min(Number(text), paging.max);
}

function parseTotal(settings: ReadonlyMap<ListParameter, readonly string[]>, paging: Paging, errors: FieldError[]): boolean {
  const text = settings.get('total')?.[0];
  if (text === undefined || text === 'false') return false;
  if (text !== 'true') errors.push({ field: 'total', message: 'must be true or false' });
  else if (!paging.total) errors.push({ field: 'total', message: 'is not available for this list' });
  return true;
}

const unavailable: ReadonlyMap<ListParameter, string> = new Map([
  ['page', 'is not available: this list is paged by cursor; use after'],
  ['before', 'is not available: this list is walked forwards; use after'],
  ['fields', 'is not available for this list'],
]);

function refuseSettings(settings: ReadonlyMap<ListParameter, readonly string[]>, errors: FieldError[]): void {
  for (const [name, values] of settings) {
    const message = unavailable.get(name);
    if (message !== undefined) errors.push({ field: name, message });
    else if (values.length > 1 && name !== 'sort' && name !== 'include') errors.push({ field: name, message: 'is given twice' });
  }
}
