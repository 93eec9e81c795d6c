import { listNames, nearest } from '../../hints.ts';
import { readSetting } from '../../http/query-body.ts';
import type { ErrorSink } from '../../http/query-errors.ts';
import { keyOf, type QueryParameter } from '../../http/query-string.ts';
import { Invalid } from '../../rules.ts';
import { givenTwice } from './parse-conditions.ts';
import { isPositiveInteger, notPositiveInteger } from './parse-paging.ts';

/** What clients may ask of the records of an included relation by `t.hasMany`. */
export interface Narrowable {
  /** How many of them one record shows at most. */
  readonly max: number;
  /** The orders that clients may choose. */
  readonly sorts: readonly string[];
}

/** What a client asks of them. */
export interface Narrowed {
  /** How many of them one record shows. @default as many as the resource allows */
  readonly limit?: number;
  /** Their order, one of those that clients may choose. @default the order of the resource */
  readonly sort?: string;
}

/** By the relations of which they are the records, from the record of the answer on: `tasks`, `parent.tasks`. */
export type NarrowableByPath = ReadonlyMap<string, Narrowable>;
export type NarrowedByPath = ReadonlyMap<string, Narrowed>;

/**
 * Returns the names in `include` parameters, each once. If names are not allowed, one error is added, for the first of
 * them. It is the same error whether such a relation exists or not.
 *
 * @example
 * parseInclude(['customer', 'author', 'customer'], ['author', 'customer'], errors) // ['customer', 'author']
 */
export function parseInclude(given: readonly string[], allowed: readonly string[], errors: ErrorSink): string[] {
  const names = [...new Set(given)];
  const unknown = names.find((name) => !allowed.includes(name));
  if (unknown === undefined) return names;
  errors.push(describeUnknown(unknown, allowed).at('include'));
  return [];
}

function describeUnknown(name: string, allowed: readonly string[]): Invalid {
  if (allowed.length === 0) return new Invalid('not_available', 'is not available: there are no relations to include here');
  const suggestion = nearest(name, allowed);
  const hint = suggestion === undefined ? `. Allowed: ${listNames(allowed)}` : `; did you mean \`${suggestion}\`?`;
  return new Invalid('not_includable', `${name === '' ? 'must name a relation' : `cannot include \`${name}\``}${hint}`, {
    name,
    suggestion,
  });
}

/** The keys of the parameters that ask for less of a relation, or for another order. */
export function narrowingKeys(narrowable: NarrowableByPath): string[] {
  return [...narrowable].flatMap(([path, { sorts }]) => [`${path}[limit]`, ...(sorts.length > 0 ? [`${path}[sort]`] : [])]);
}

/** Whether a parameter asks for less of a relation (`tasks[limit]`), or for another order (`tasks[sort]`). */
export function isNarrowing({ name, operator, isItem }: QueryParameter, narrowable: NarrowableByPath): boolean {
  const found = isItem ? undefined : narrowable.get(name);
  return found !== undefined && (operator === 'limit' || (operator === 'sort' && found.sorts.length > 0));
}

/**
 * Reads the parameters that are {@link isNarrowing}: `tasks[limit]=2` and `tasks[sort]=-createdAt`. A limit above the
 * largest is that one, as in a list. A relation that the request does not include, an order that is not declared, and a
 * parameter that is given twice are errors. `include` are the names that the request includes.
 *
 * @example
 * parseNarrowed(parseQueryString('tasks[limit]=2'), ['tasks'], new Map([['tasks', { max: 50, sorts: [] }]]), errors)
 * // Map { 'tasks' => { limit: 2 } }
 */
export function parseNarrowed(
  given: readonly QueryParameter[],
  include: readonly string[],
  narrowable: NarrowableByPath,
  errors: ErrorSink,
): NarrowedByPath {
  const narrowed = new Map<string, Narrowed>();
  for (const parameter of given) {
    const { name } = parameter;
    const asked = read(parameter, narrowable.get(name) as Narrowable, narrowed.get(name));
    const isIncluded = include.some((one) => `${one}.`.startsWith(`${name}.`));
    if (asked instanceof Invalid) errors.push(asked.at(keyOf(parameter)));
    else if (isIncluded) narrowed.set(name, asked);
    else errors.push(new Invalid('not_available', `is not available without \`include=${name}\``).at(keyOf(parameter)));
  }
  return narrowed;
}

/** In a body, the limit is a number, and the order is a text. */
function read(parameter: QueryParameter, { max, sorts }: Narrowable, others: Narrowed = {}): Narrowed | Invalid {
  const isLimit = parameter.operator === 'limit';
  if ((isLimit ? others.limit : others.sort) !== undefined) return givenTwice;
  const { json, value } = parameter;
  const text = json === undefined ? value : (readSetting(keyOf(parameter), json, isLimit ? 'number' : 'text')[0]?.value ?? '');
  if (isLimit) return isPositiveInteger(text) ? { ...others, limit: Math.min(Number(text), max) } : notPositiveInteger;
  return sorts.includes(text) ? { ...others, sort: text } : notAnOrder(text, sorts);
}

function notAnOrder(text: string, sorts: readonly string[]): Invalid {
  const suggestion = nearest(text, sorts);
  const hint = suggestion === undefined ? `. Allowed: ${listNames(sorts.map((one) => `\`${one}\``))}` : `; did you mean \`${suggestion}\`?`;
  return new Invalid('enum', `must be an order that is allowed${hint}`, { values: sorts, suggestion });
}
