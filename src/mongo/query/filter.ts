import type { QueryField, QueryFields } from '../../model/compile/query-fields.ts';
import { type Operator, operators } from '../../model/define/policy.ts';
import { isObject } from '../../model/value/plain-object.ts';
import { Invalid } from '../../rules.ts';

/** A filter as the database takes it. Only this room builds one, from {@link Condition}s. */
export type Filter = Readonly<Record<string, unknown>>;

/** One condition on one field; `value` is in stored form: a list for `in` and `nin`, a boolean for `exists`. */
export interface Condition {
  readonly field: QueryField;
  readonly operator: Operator;
  readonly value: unknown;
}

// Own table from the library's operators to the database's: nothing that a client sends becomes an operator any other way.
const build: Readonly<Record<Operator, (value: unknown) => Record<string, unknown>>> = {
  eq: (value) => ({ $eq: value }),
  ne: (value) => ({ $ne: value }),
  in: (value) => ({ $in: value }),
  nin: (value) => ({ $nin: value }),
  gt: (value) => ({ $gt: value }),
  gte: (value) => ({ $gte: value }),
  lt: (value) => ({ $lt: value }),
  lte: (value) => ({ $lte: value }),
  exists: (value) => ({ $exists: value }),
  prefix: (value) => ({ $regex: `^${escapeRegExp(value as string)}` }),
};

// Everything but letters, digits and what cannot mean anything to PCRE is escaped: a prefix is literal.
function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}#/-]/g, '\\$&');
}

/** Builds the filter in which all conditions hold. Several on one field stand side by side: `{ total: { $gte: 5, $lt: 9 } }`. */
export function buildFilter(conditions: readonly Condition[]): Filter {
  const filter: Record<string, Record<string, unknown>> = {};
  for (const { field, operator, value } of conditions) {
    filter[field.path] = { ...filter[field.path], ...build[operator](value) };
  }
  return filter;
}

/** Both filters at once. Where they share no key they merge, which keeps a lookup by `_id` the cheapest kind of query. */
export function both(first: Filter, second: Filter | undefined): Filter {
  return Object.keys(second ?? {}).some((key) => key in first) ? { $and: [first, second] } : { ...first, ...second };
}

/** What a scope function returns to say that every record is within it. */
export const everything: unique symbol = Symbol('everything');

/**
 * Reads what a scope returned into conditions, of which `everything` has none. A value, or the library's own operators: `{ owner: 'ann', total: { gte: 5 } }`. Anything
 * that would leave the door open or ajar (nothing, an empty filter, an undefined value, a field that does not exist, an empty `nin` or
 * `prefix`) throws a plain Error: 500, and `app.on('error')` tells why.
 */
export function readScope(scope: unknown, fields: QueryFields): readonly Condition[] {
  if (scope === everything) return [];
  if (!isObject(scope))
    // its conditions are its own: what an object inherited would be overlooked
    throw new Error(`A scope must return a filter or \`everything\`, not ${describe(scope)}.`);
  const entries = Object.entries(scope);
  if (entries.length === 0) throw new Error('A scope returned an empty filter, which every record matches: say so with `everything`.');
  const conditions = entries.flatMap(([name, value]) => scopeConditions(name, value, fields));
  const open = conditions.find(isOpen);
  if (open)
    throw new Error(
      `The scope's \`${open.operator}\` on \`${open.field.name}\` is empty, which every record matches: leave it out, or say so with \`everything\`.`,
    );
  return conditions;
}

function isOpen({ operator, value }: Condition): boolean {
  return (operator === 'nin' && (value as readonly unknown[]).length === 0) || (operator === 'prefix' && value === '');
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value !== 'object') return typeof value;
  return value === null ? 'null' : 'an object of a class';
}

function scopeConditions(name: string, value: unknown, fields: QueryFields): Condition[] {
  const field = fields.get(name);
  if (!field) throw new Error(`The scope names \`${name}\`, which is not a field of the model.`);
  if (!isObject(value)) return [{ field, operator: 'eq', value: scopeScalar(field, value) }];
  const conditions = Object.entries(value);
  if (conditions.length === 0) throw new Error(`The scope has no condition on \`${name}\`.`);
  return conditions.map(([operator, operand]) => {
    if (!isOperator(operator)) throw new Error(`The scope uses \`${operator}\` on \`${name}\`: legal are ${operators.join(', ')}.`);
    return { field, operator, value: scopeValue(field, operator, operand) };
  });
}

function isOperator(name: string): name is Operator {
  return (operators as readonly string[]).includes(name);
}

function scopeValue(field: QueryField, operator: Operator, value: unknown): unknown {
  if (operator === 'exists') {
    if (typeof value !== 'boolean') throw new Error(`\`exists\` on \`${field.name}\` in a scope must be true or false.`);
    return value;
  }
  if (operator === 'prefix') {
    // Not read as a value of the field: the beginning of an enum's member is no member.
    if (typeof value !== 'string' || !field.operators.has('prefix'))
      throw new Error(`\`prefix\` on \`${field.name}\` in a scope needs text, and a field of text.`);
    return value;
  }
  if (operator !== 'in' && operator !== 'nin') return scopeScalar(field, value);
  if (!Array.isArray(value)) throw new Error(`\`${operator}\` on \`${field.name}\` in a scope must be a list.`);
  return Array.from(value, (one) => scopeScalar(field, one)); // a hole is an undefined value
}

function scopeScalar(field: QueryField, value: unknown): unknown {
  if (value === null && field.nullable) return null;
  if (!field.leaf) throw new Error(`The scope compares \`${field.name}\`, which is not a single value.`);
  const stored = field.leaf.fromDocument(value);
  if (stored instanceof Invalid) throw new Error(`The scope's value of \`${field.name}\` ${stored.message}.`);
  return stored;
}
