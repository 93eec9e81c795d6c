/**
 * Every rule that a field of a body or a parameter of a query string can break, with the names of its `params`. A
 * client can make a message in its own language of a rule and its params. `docs/reference/errors.md` has a row for each
 * rule. A name never changes its meaning. The keywords of JSON Schema keep their names; all other names are snake_case.
 */
export const rules = {
  // Presence of fields, and permission to write them.
  required: [],
  unknown_field: ['suggestion'],
  not_writable: ['operation'],
  not_clearable: [],
  not_replaceable: [],
  incomplete: ['missing'],
  server_only: [],
  unique: [],
  scope: [],
  reference: [],
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
  prefix_too_large: ['limit'],
  not_sortable: ['name', 'suggestion'],
  repeated_sort_key: ['name'],
  not_groupable: ['name', 'suggestion'],
  not_aggregable: ['name', 'suggestion'],
  not_selectable: ['name', 'suggestion'],
  not_includable: ['name', 'suggestion'],
  too_much_included: [],
  page_too_large: ['limit'],
  positive_integer: [],
  max_offset: ['limit', 'last'],
  estimate_only: [],
  not_estimable: [],
  syntax: ['position', 'expected'],
  ambiguous: ['position'],
  too_complex: ['limit'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The stable name of a rule that a value can break: a key of {@link rules}. */
export type Rule = keyof typeof rules;

/** The values in a rule's message: JSON values, where a `bigint` is an integer. */
export type RuleParams<Name extends Rule = Rule> = Name extends Rule
  ? { readonly [Param in (typeof rules)[Name][number]]?: unknown }
  : never;

/** An error of one field. */
export interface FieldError {
  /**
   * The field's dotted path as clients write it (`history.0.zip`), or the query parameter. Empty for the body as a
   * whole.
   */
  readonly field: string;
  /** A sentence whose subject is the field: "must have at least 3 characters". */
  readonly message: string;
  /** The rule that programs switch on: one of the library (`docs/reference/errors.md`) or of the application. */
  readonly rule: string;
  /** The values in the message, such as `{ limit: 3 }`. Undefined if it has none. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** A {@link FieldError} that the application reports, in a `check` or in its own `Problem`. */
export interface FieldErrorInput extends Omit<FieldError, 'rule'> {
  /** @default 'check' */
  readonly rule?: string;
}

/** What is known of an error beside what it says. */
interface ErrorNotes {
  /** What it is about, if a store or a save has thrown it: see `Subject` in `model/write/subject.ts`. */
  readonly subject?: unknown;
  /** The place of its record among several, which stands in front of its field. */
  readonly place?: string;
  /** What a client is told instead that does not see what it is about. @default nothing */
  readonly instead?: FieldError;
}

/** Notes are no members: no JSON has them, no comparison finds them, and what an application copies has none. */
const notes = new WeakMap<FieldErrorInput, ErrorNotes>();

/** The notes about an error. */
export function notesOf(error: FieldErrorInput): ErrorNotes {
  return notes.get(error) ?? none;
}

const none: ErrorNotes = {};

/** Notes what is known of an error, beside what was noted before. */
export function note(error: FieldErrorInput, known: ErrorNotes): void {
  notes.set(error, { ...notes.get(error), ...known });
}

/** The same error about one record of several: the place of the record stands in front of the field. */
export function placeError(error: FieldError, place: string): FieldError {
  const placed = { ...error, field: error.field === '' ? place : `${place}.${error.field}` };
  note(placed, { ...notesOf(error), place });
  return placed;
}

/** Completes a field error that the application reports. Throws a TypeError if it has another shape. */
export function toFieldError(input: FieldErrorInput): FieldError {
  const { field, message, rule = 'check', params } = input ?? {};
  const isObject = params === undefined || (typeof params === 'object' && params !== null && !Array.isArray(params));
  if (![field, message, rule].every((text) => typeof text === 'string') || !isObject)
    throw new TypeError('A field error must be { field, message, rule?, params? }: three strings and an object.');
  const error = { field, message, rule, ...(params === undefined ? {} : { params }) };
  const known = notes.get(input);
  if (known) notes.set(error, known);
  return error;
}

/**
 * The reason why a value is not acceptable. The message is a sentence whose subject is the value: "must be a string".
 */
export class Invalid<Name extends Rule = Rule> {
  readonly rule: Name;
  readonly message: string;
  readonly params: RuleParams<Name> | undefined;
  /** The dotted path of the wrong part within the value. Empty for the value itself. */
  readonly within: string;

  constructor(rule: Name, message: string, params?: RuleParams<Name>, within = '') {
    const given = Object.entries(params ?? {}).filter(([, value]) => value !== undefined);
    this.rule = rule;
    this.message = message;
    this.params = given.length > 0 ? (Object.fromEntries(given) as RuleParams<Name>) : undefined;
    this.within = within;
  }

  /** The error of the field at a path. */
  at(path: string): FieldError {
    const { rule, message, params, within } = this;
    const field = [path, within].filter((part) => part !== '').join('.');
    return { field, message, rule, ...(params === undefined ? {} : { params }) };
  }
}
