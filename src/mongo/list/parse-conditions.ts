import { MinKey } from 'mongodb';
import { validationFailed } from '../../errors.ts';
import { firstNames, listNames, nearest } from '../../hints.ts';
import { type ErrorSink, maxErrors } from '../../http/query-errors.ts';
import { itemsOf, keyOf, type QueryParameter } from '../../http/query-string.ts';
import type { QueryField, QueryFields } from '../../model/compile/query-fields.ts';
import { isOperator, type Operator, operatorDef } from '../../model/operators/operators.ts';
import { refuseText, type SoughtText, type TextLimits } from '../../model/operators/sought-text.ts';
import type { Leaf } from '../../model/value/leaf.ts';
import { type FieldError, Invalid } from '../../rules.ts';
import type { Condition } from '../predicate/predicate.ts';
import { ourNameOf } from './foreign-names.ts';

/** The limits of filters. */
export interface ConditionLimits extends TextLimits {
  /** The most values of one `in` or `nin`. */
  readonly maxFilterValues: number;
}

/** The settings of the parser of filters. */
export interface ConditionRules extends ConditionLimits {
  readonly fields: QueryFields;
}

/** The context of the filters in a query string, for messages about unknown parameters. */
export interface OtherParameters {
  /** The parameters that are not filters, of which one may be meant. */
  parameters(): readonly string[];
  /** The subject of the query string, such as "this list". */
  readonly subject: string;
}

/** The filters of a query string. */
export interface Conditions {
  readonly conditions: readonly Condition[];
  /** The errors of integers of more than 64 bits, for {@link refuseOutOfRange}. */
  readonly outOfRange: FieldError[];
}

/** Parses filters. Fields and operators come from tables of the model; the type of the field casts the value. */
export function parseConditions(
  parameters: readonly QueryParameter[],
  rules: ConditionRules,
  around: OtherParameters,
  errors: ErrorSink,
): Conditions {
  const conditions: Condition[] = [];
  const outOfRange: FieldError[] = [];
  for (const parameter of parameters) {
    const condition = parseCondition(parameter, rules, around);
    if (!(condition instanceof Invalid)) addCondition(conditions, condition, rules, errors);
    else (condition.rule === 'out_of_range' ? outOfRange : errors).push(condition.at(keyOf(parameter)));
  }
  return { conditions, outOfRange };
}

/** Throws `validation_failed` (422) if there are errors. An error of the syntax, which is 400, comes before. */
export function refuseOutOfRange(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw validationFailed(errors.slice(0, maxErrors));
}

const oneValue = new Invalid('parameter_syntax', 'takes one value: [] is for lists of them, behind [in] or [nin]');

function parseCondition(parameter: QueryParameter, rules: ConditionRules, around: OtherParameters): Condition | Invalid {
  const { fields } = rules;
  const { name, operator: bracketed, isItem } = parameter;
  const field = fields.get(name);
  if (!field) return unknownParameter(name, fields, around);
  const operator = bracketed ?? 'eq';
  if (!isOperator(operator) || !field.operators.has(operator)) return refuseOperator(field, operator, fields);
  if (isItem && operatorDef(operator).takes !== 'values') return oneValue;
  const cast = castOperand(field, operator, parameter, rules);
  return cast instanceof Invalid ? cast : { field, operator, value: cast };
}

function unknownParameter(name: string, fields: QueryFields, around: OtherParameters): Invalid {
  const names = around.parameters();
  const suggestion = ourNameOf(name, names) ?? nearest(name, [...filterableNames(fields), ...names]);
  const hint = suggestion === undefined ? '' : `; did you mean \`${suggestion}\`?`;
  return new Invalid('unknown_parameter', `is not a field or parameter of ${around.subject}${hint}`, { suggestion });
}

export function refuseOperator(field: QueryField, operator: string, fields: QueryFields): Invalid {
  if (field.operators.size === 0) {
    const filterable = filterableNames(fields);
    const hint = filterable.length > 0 ? `. Allowed: ${listNames(filterable)}` : '';
    return new Invalid('not_filterable', `cannot be filtered${hint}`, { fields: firstNames(filterable) });
  }
  const own = [...field.operators];
  return new Invalid('unknown_operator', `does not have the operator \`${operator}\`. Allowed: ${own.join(', ')}`, { operators: own });
}

export function filterableNames(fields: QueryFields): string[] {
  return [...fields.values()].filter((field) => field.operators.size > 0).map((field) => field.name);
}

/** Casts a parameter to the value that its operator compares with. */
function castOperand(field: QueryField, operator: Operator, parameter: QueryParameter, limits: ConditionLimits): unknown {
  const { isItem, value: text, json } = parameter;
  if (json !== undefined) return castJson(field, operator, json, limits);
  const { takes } = operatorDef(operator);
  if (takes === 'flag') return castFlag(text);
  if (takes === 'text') return castSoughtText(field, operator, text, limits);
  if (takes === 'value') return castOne(field, text, operator);
  const texts = text === '' && !isItem ? [] : itemsOf(parameter);
  return castEach(texts, limits, (one) => castOne(field, one, operator));
}

function castEach<Given>(given: readonly Given[], limits: ConditionLimits, cast: (one: Given) => unknown): unknown {
  if (given.length > limits.maxFilterValues) return tooManyValues(limits);
  const values: unknown[] = [];
  for (const one of given) {
    const value = cast(one);
    if (value instanceof Invalid) return value;
    values.push(value);
  }
  return values;
}

/** Casts a JSON value, which has the JSON type of the field's values. */
function castJson(field: QueryField, operator: Operator, json: unknown, limits: ConditionLimits): unknown {
  switch (operatorDef(operator).takes) {
    case 'flag':
      return typeof json === 'boolean' ? json : notBoolean;
    case 'text':
      return typeof json === 'string' ? castSoughtText(field, operator, json, limits) : notText;
    case 'values':
      return Array.isArray(json) ? castEach(json, limits, (one) => castJsonOne(field, one, operator)) : notArray;
    case 'value':
      return castJsonOne(field, json, operator);
  }
}

const notText = new Invalid('type', 'must be a text', { type: 'string' });
const notArray = new Invalid('type', 'must be an array', { type: 'array' });

/** The value is that of its text, so that both ways to write a query are one. */
function castJsonOne({ leaf, nullable }: QueryField, json: unknown, operator: Operator): unknown {
  if (!leaf) return notComparable;
  if (json === null) return nullable && !isOfOrder(operator) ? null : notNull;
  const read = leaf.fromJson(json);
  return read instanceof Invalid && read.rule === 'type' ? read : castText(leaf, String(json), operator); // the range is that of a comparison
}

export function tooManyValues({ maxFilterValues }: ConditionLimits): Invalid {
  return new Invalid('maxItems', `must have at most ${maxFilterValues} values`, { limit: maxFilterValues });
}

/** Casts the text that an operator looks for. */
export function castSoughtText(field: QueryField, operator: Operator, text: string, limits: ConditionLimits): string | Invalid {
  return refuseText(field, text, operatorDef(operator).text as SoughtText, limits) ?? text;
}

const notBoolean = new Invalid('type', 'must be true or false', { type: 'boolean' });

function castFlag(text: string): boolean | Invalid {
  if (text === 'true') return true;
  return text === 'false' ? false : notBoolean;
}

const notComparable = new Invalid('not_comparable', 'cannot be compared');
export const notNull = new Invalid('not_null', 'cannot be null');

/** Casts a text to the value that an operator compares with. */
export function castOne(field: QueryField, text: string, operator: Operator): unknown {
  if (!field.leaf) return notComparable;
  const value = castText(field.leaf, text, operator);
  // `null` is text for a string, and for an enum with a member of that name. As base64 it would happen to be three
  // bytes.
  const isNull = text === 'null' && field.nullable && (value instanceof Invalid || field.leaf.name === 'binary');
  if (!isNull) return value;
  return isOfOrder(operator) ? new Invalid('not_null', 'cannot be null: nothing is greater or less') : null;
}

/** Whether an operator asks what is greater or less. */
export function isOfOrder(operator: Operator): boolean {
  return operatorDef(operator).order !== undefined;
}

/** A text may lie between two values that can be stored: it equals none, and the greater one is the first behind it. */
function castText(leaf: Leaf, text: string, operator: Operator): unknown {
  const next = leaf.nextText?.(text);
  if (next === undefined) return leaf.fromText(text);
  const { order } = operatorDef(operator);
  return order ? leaf.fromText(order === 'before' ? text : next) : equalToNone;
}

/** A value that no field has. */
const equalToNone = new MinKey();

/** A parameter that may be given once was given again. */
export const givenTwice = new Invalid('repeated_parameter', 'is given twice');

/** `in` and `nin` may be repeated, and their values are added up. Everything else may be given once. */
function addCondition(conditions: Condition[], condition: Condition, limits: ConditionLimits, errors: ErrorSink): void {
  const { field, operator } = condition;
  const index = conditions.findIndex((one) => one.field === field && one.operator === operator);
  const earlier = conditions[index];
  if (!earlier) {
    conditions.push(condition);
  } else if (operatorDef(operator).takes !== 'values') {
    errors.push(givenTwice.at(operator === 'eq' ? field.name : `${field.name}[${operator}]`));
  } else {
    const values = [...(earlier.value as unknown[]), ...(condition.value as unknown[])];
    if (values.length > limits.maxFilterValues) errors.push(tooManyValues(limits).at(`${field.name}[${operator}]`));
    else conditions[index] = { ...condition, value: values };
  }
}
