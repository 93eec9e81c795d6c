/**
 * Every rule that a field of a body or a parameter of a query string can break, with the names of its `params`: from both a client can
 * say in its own language what is wrong. `docs/errors.md` has a row for each. A name is never given another meaning. JSON Schema's keywords
 * keep their names; all others are snake_case.
 */
export const rules = {
  // What is there, and who may write it.
  required: [],
  unknown_field: ['suggestion'],
  not_writable: ['operation'],
  not_clearable: [],
  not_replaceable: [],
  incomplete: ['missing'],
  server_only: [],
  unique: [],
  scope: [],
  check: [],

  // Types.
  type: ['type'],
  not_null: [],
  unicode: [],
  out_of_range: ['minimum', 'maximum'],
  underflow: [],
  precision: ['limit'],
  illegal_key: [],
  not_storable: [],
  not_addressable: [],

  // Keywords of JSON Schema.
  enum: ['values', 'suggestion'],
  const: ['value'],
  minLength: ['limit'],
  maxLength: ['limit'],
  pattern: ['pattern'],
  format: ['format'],
  minimum: ['limit'],
  maximum: ['limit'],
  exclusiveMinimum: ['limit'],
  exclusiveMaximum: ['limit'],
  multipleOf: ['multipleOf'],
  minItems: ['limit'],
  maxItems: ['limit'],
  uniqueItems: [],
  minProperties: ['limit'],
  maxProperties: ['limit'],
  propertyNames: ['key'],
  required_key: ['key'],
  unknown_key: ['key'],
  anyOf: [],
  oneOf: [],
  schema: [],

  // Query strings.
  unknown_parameter: ['suggestion'],
  repeated_parameter: [],
  conflicting_parameter: ['with'],
  not_available: [],
  too_many_parameters: ['limit'],
  parameter_syntax: [],
  percent_encoding: [],
  nul_character: [],
  not_filterable: ['fields'],
  unknown_operator: ['operators'],
  not_comparable: [],
  not_sortable: ['name', 'suggestion'],
  repeated_sort_key: ['name'],
  not_selectable: ['name', 'suggestion'],
  not_includable: ['name', 'suggestion'],
  too_much_included: [],
  page_too_large: ['limit'],
  positive_integer: [],
  max_offset: ['limit', 'last'],
  estimate_only: [],
  not_estimable: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** A stable name of what can be wrong with a value: a key of {@link rules}. */
export type Rule = keyof typeof rules;

/** What a rule's sentence speaks of: JSON, where a `bigint` is an integer. */
export type RuleParams<Name extends Rule = Rule> = Name extends Rule
  ? { readonly [Param in (typeof rules)[Name][number]]?: unknown }
  : never;

/** One thing that is wrong with one field. */
export interface FieldError {
  /** Its dotted path as clients write it (`history.0.zip`), or the query parameter; empty for a body as a whole. */
  readonly field: string;
  /** A sentence that follows the field: "must have at least 3 characters". */
  readonly message: string;
  /** What programs switch on: a rule of the library (`docs/errors.md`), or one of the application. */
  readonly rule: string;
  /** What the sentence speaks of, such as `{ limit: 3 }`; undefined where the rule says all. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** A {@link FieldError} as an application says it, in a check or in a problem of its own. */
export interface FieldErrorInput extends Omit<FieldError, 'rule'> {
  /** @default 'check' */
  readonly rule?: string;
}

/** Completes what an application says of a field; throws a TypeError where it is not a field error. */
export function toFieldError(input: FieldErrorInput): FieldError {
  const { field, message, rule = 'check', params } = input ?? {};
  const isObject = params === undefined || (typeof params === 'object' && params !== null && !Array.isArray(params));
  if ([field, message, rule].every((text) => typeof text === 'string') && isObject)
    return { field, message, rule, ...(params === undefined ? {} : { params }) };
  throw new TypeError('An error of a field must be { field, message, rule?, params? }: three texts, and an object.');
}

/** What is wrong with a value. The message is a sentence that follows its path: "must be a string". */
export class Invalid<Name extends Rule = Rule> {
  readonly rule: Name;
  readonly message: string;
  readonly params: RuleParams<Name> | undefined;
  /** Where in the value, as a dotted path; empty for the value itself. */
  readonly within: string;

  constructor(rule: Name, message: string, params?: RuleParams<Name>, within = '') {
    const given = Object.entries(params ?? {}).filter(([, value]) => value !== undefined);
    this.rule = rule;
    this.message = message;
    this.params = given.length > 0 ? (Object.fromEntries(given) as RuleParams<Name>) : undefined;
    this.within = within;
  }

  /** The same of the field at a path. */
  at(path: string): FieldError {
    const { rule, message, params, within } = this;
    const field = [path, within].filter((part) => part !== '').join('.');
    return { field, message, rule, ...(params === undefined ? {} : { params }) };
  }
}
