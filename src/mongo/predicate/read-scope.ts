import type { QueryField, QueryFields } from '../../model/compile/query-fields.ts';
import type { ComparedWith } from '../../model/define/given.ts';
import { isOperator, type Operator, operatorDef, operators } from '../../model/operators/operators.ts';
import { refuseText, type SoughtText } from '../../model/operators/sought-text.ts';
import { fromDocumentOrText } from '../../model/value/leaves.ts';
import { isObject } from '../../model/value/plain-object.ts';
import { Invalid } from '../../rules.ts';
import { type Condition, type Filter, fulfilling, isOpen, type Predicate } from './predicate.ts';
import { markOf, type ScopedModel } from './row-scope.ts';

/** The value that a filter compares with: of an array, that of an element. */
type ElementOf<Value> = Value extends readonly (infer Element)[] ? Element : Value;

/** A value that a field must have, or operators of the library. */
type ConditionOn<Value> = Value | OperatorsOn<Value>;

type OperatorsOn<Value> = { readonly [Name in Exclude<Operator, 'in' | 'nin' | 'exists'>]?: Value } & {
  readonly in?: readonly Value[];
  readonly nin?: readonly Value[];
  readonly exists?: boolean;
};

/**
 * What a condition on a field of a document must be, where another one was given: the operators if it has some, or else
 * the value. A union of both is explained by what the operators lack.
 */
export type ConditionFor<Given, Doc, Name extends keyof FilterOn<Doc>> =
  Given extends Exclude<FilterOn<Doc>[Name], undefined>
    ? Given
    : Name extends keyof Doc
      ? keyof Given extends Operator
        ? OperatorsOn<ComparedWith<Name, ElementOf<Doc[Name]>>>
        : ComparedWith<Name, ElementOf<Doc[Name]>>
      : FilterOn<Doc>[Name];

/**
 * A filter of the application's own code: a value, or operators of the library, for each field of the document; dotted
 * paths for fields of embedded objects.
 */
export type FilterOn<Doc> = { readonly [Name in keyof Doc]?: ConditionOn<ComparedWith<Name, ElementOf<Doc[Name]>>> } & {
  readonly [path: `${string}.${string}`]: unknown;
};

/**
 * Reads a scope of a model in any form: `ctx.scope`, or what a `scope` function returns. Throws a plain Error (500) for
 * the `ctx.scope` of another model, whose fields mean something else or nothing here.
 */
export function readAnyScope(scope: unknown, model: ScopedModel): { readonly filter: Predicate; readonly bounds: readonly Condition[] } {
  const mark = isObject(scope) ? markOf(scope) : undefined;
  if (mark && mark.name !== model.name)
    throw new Error(`The scope is one of ${mark.name}: write a scope for ${model.name} as a filter of its own.`);
  if (mark) return { filter: scope as Filter, bounds: mark.bounds };
  const conditions = readScope(scope, model.scopeFields);
  return { filter: fulfilling(conditions), bounds: conditions };
}

/**
 * The return value of a `scope` function that restricts nothing.
 *
 * @example
 * shop.resource({
 *   model: Order,
 *   scope(ctx) {
 *     const { isAdmin, name } = ctx.requirePrincipal();
 *     return isAdmin ? everything : { owner: name };
 *   },
 * });
 */
export const everything: unique symbol = Symbol.for('koa-mongo-resource.everything'); // one for all copies of the library

/**
 * Reads the return value of a scope into conditions: `{ owner: 'ann', total: { gte: 5 } }` has values, or operators of
 * the library; `everything` has no condition. Throws a plain Error (500) for a value that would restrict nothing by
 * mistake: no value, an empty filter, an undefined value, an unknown field, an empty `nin` or `prefix`.
 */
export function readScope(scope: unknown, fields: QueryFields): readonly Condition[] {
  if (scope === everything) return [];
  if (!isObject(scope))
    // An object of a class is refused, because its inherited members would be overlooked.
    throw new Error(`A scope must return a filter or \`everything\`, not ${describe(scope)}.`);
  if (Object.keys(scope).length === 0)
    throw new Error('A scope returned an empty filter, which matches every record: return `everything` instead.');
  const conditions = readConditions(scope, fields, 'scope');
  const open = conditions.find(isOpen);
  if (open)
    throw new Error(
      `The scope's \`${open.operator}\` on \`${open.field.name}\` is empty, which matches every record: leave it out, or return \`everything\`.`,
    );
  return conditions;
}

/**
 * Reads a filter of the application's own code, which has the form of a scope. An empty filter matches every record.
 * Throws a plain Error (500) for an undefined value, which would match records without a value, and for what does not
 * fit the model.
 */
export function readFilter(filter: unknown, fields: QueryFields): readonly Condition[] {
  if (!isObject(filter)) throw new Error(`A filter must be an object, not ${describe(filter)}.`);
  return readConditions(filter, fields, 'filter');
}

/** Where conditions come from, for messages. */
type Source = 'scope' | 'filter';

function readConditions(filter: Readonly<Record<string, unknown>>, fields: QueryFields, source: Source): Condition[] {
  const names = Object.keys(filter);
  const [name] = names;
  if (names.length === 1 && name !== undefined) return conditionsOn(name, filter[name], fields, source); // most scopes
  return names.flatMap((name) => conditionsOn(name, filter[name], fields, source));
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value !== 'object') return typeof value;
  return value === null ? 'null' : 'an object of a class';
}

function conditionsOn(name: string, value: unknown, fields: QueryFields, source: Source): Condition[] {
  const field = fields.get(name);
  if (!field) throw new Error(`The ${source} names \`${name}\`, which is not a field of the model.`);
  if (!isObject(value)) return [{ field, operator: 'eq', value: readScalar(field, value, source) }];
  const conditions = Object.entries(value);
  if (conditions.length === 0) throw new Error(`The ${source} has no condition on \`${name}\`.`);
  return conditions.map(([operator, operand]) => {
    if (!isOperator(operator)) throw new Error(`The ${source} uses \`${operator}\` on \`${name}\`. Allowed: ${operators.join(', ')}.`);
    return { field, operator, value: readOperand(field, operator, operand, source) };
  });
}

function readOperand(field: QueryField, operator: Operator, value: unknown, source: Source): unknown {
  switch (operatorDef(operator).takes) {
    case 'flag':
      if (typeof value !== 'boolean') throw new Error(`\`${operator}\` on \`${field.name}\` in a ${source} must be true or false.`);
      return value;
    case 'text': {
      // The leaf does not read it, because the beginning of an enum's member is not a member.
      if (typeof value !== 'string' || !field.operators.has(operator))
        throw new Error(`\`${operator}\` on \`${field.name}\` in a ${source} needs a string, and a field of strings.`);
      const refusal = refuseText(field, value, operatorDef(operator).text as SoughtText);
      if (refusal) throw new Error(`\`${operator}\` on \`${field.name}\` in a ${source} ${refusal.message}.`);
      return value;
    }
    case 'values':
      if (!Array.isArray(value)) throw new Error(`\`${operator}\` on \`${field.name}\` in a ${source} must be an array.`);
      return Array.from(value, (one) => readScalar(field, one, source)); // a hole counts as an undefined value
    case 'value':
      return readScalar(field, value, source);
  }
}

function readScalar(field: QueryField, value: unknown, source: Source): unknown {
  if (value === null && field.nullable) return null;
  if (!field.leaf) throw new Error(`The ${source} compares \`${field.name}\`, which is not a single value.`);
  const stored = field.isId ? fromDocumentOrText(field.leaf, value) : (field.leaf.fromCompared ?? field.leaf.fromDocument)(value);
  if (stored instanceof Invalid) throw new Error(`The ${source}'s value of \`${field.name}\` ${stored.message}.`);
  return stored;
}
