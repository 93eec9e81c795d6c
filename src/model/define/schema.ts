import type { FieldErrorInput } from '../../rules.ts';
import type { Given } from './given.ts';
import type { Policy } from './policy.ts';
import type { StandardSchema } from './standard-schema.ts';
import type { FieldTypes } from './value-types.ts';

/**
 * A field as the builders of `t` return it: a JSON Schema (2020-12) with the keywords of this library, and its
 * TypeScript types. `Options` is the literal type of the options that the builder was called with; the types of a model
 * are inferred from it. The two `~` members exist only in types.
 */
export interface Field<Types extends FieldTypes = FieldTypes, Options = unknown> {
  readonly '~types': Types;
  readonly '~options': Options;
}

/**
 * A JSON Schema that was written by hand. It can stand wherever a field can, takes the same keywords, and is checked
 * just as strictly.
 */
export interface RawSchema {
  /** What clients may do with the field. @default clients may read and write it, and no list filters or sorts by it */
  readonly policy?: Policy;
  readonly [keyword: string]: unknown;
}

/** A schema that TypeBox made. It is read as a {@link RawSchema}, and `Type.Optional` makes its field optional. */
export interface TypeBoxSchema {
  readonly '~kind': string;
}

/** The description of a value: what a builder of `t` returns, or a JSON Schema. */
export type FieldSchema = Field | RawSchema | TypeBoxSchema;

/** The description of the body or the answer of a custom operation: also a schema of another library. */
export type AnySchema = FieldSchema | StandardSchema;

/** The fields of a model or of an embedded object, by name. */
export type Fields = Readonly<Record<string, FieldSchema>>;

/** Options of every field. */
export interface FieldOptions<Value = unknown> {
  /** The field's title in the OpenAPI description. @default none */
  readonly title?: string;
  /** The field's description in the OpenAPI description. @default none */
  readonly description?: string;
  /**
   * Example values for the OpenAPI description, as JSON.
   * @default none
   *
   * @example
   * examples: ['Bern', 'Oslo']
   */
  readonly examples?: readonly unknown[];
  /** Whether the OpenAPI description marks the field as deprecated. @default false */
  readonly deprecated?: boolean;
  /**
   * The value of the field when it is not sent, or a function that is called each time and returns it. Clients may
   * leave out a field with a default.
   * @default none
   *
   * @example
   * default: 'open'
   */
  readonly default?: Given<Value, 'whole'> | (() => Given<Value, 'whole'>);
  /**
   * What clients may do with the field.
   * @default clients may read and write it, and no list filters or sorts by it
   *
   * @example
   * policy: { update: false, filter: ['eq', 'in'], sort: true }
   */
  readonly policy?: Policy;
  /** Whether only a create may set the field. @default false */
  readonly immutable?: boolean;
  /**
   * Whether no two records may have the same value: a write that would make two is a 409. Records without a value are
   * not compared. A unique index of the database enforces this; `applyIndexes(api)` creates it. Only for single values
   * outside of arrays and maps.
   * @default false
   */
  readonly unique?: boolean;
  /** Whether `planIndexes` plans indexes for the filters and sorts of this field. @default true */
  readonly index?: boolean;
  /**
   * The key under which the database has the field. Clients, handlers, hooks, filters and indexes write its name.
   * @default the name
   *
   * @example
   * stored: 'cust_no'
   */
  readonly stored?: string;
}

/** Options of `t.nullable`. */
export interface NullableOptions<Value = unknown> extends FieldOptions<Value | null> {
  /**
   * Whether null is stored as null. Otherwise the stored key is removed; clients read null either way.
   *
   * @default false
   */
  readonly storeNone?: boolean;
}

/** Options of `t.array`. */
export interface ArrayOptions<Value> extends FieldOptions<Value> {
  /** The least number of items. @default none */
  readonly minItems?: number;
  /** The greatest number of items. @default none */
  readonly maxItems?: number;
  /** Whether no two items may be equal. @default false */
  readonly uniqueItems?: boolean;
}

/** Options of `t.map`. */
export interface MapOptions<Value> extends FieldOptions<Value> {
  /** The least number of keys. @default none */
  readonly minProperties?: number;
  /** The greatest number of keys. @default none */
  readonly maxProperties?: number;
  /**
   * A JSON Schema that every key must match.
   * @default every key
   *
   * @example
   * propertyNames: { pattern: '^[a-z]{3}$' }
   */
  readonly propertyNames?: { readonly pattern?: string; readonly minLength?: number; readonly maxLength?: number };
  /**
   * Whether a patch merges the keys that it sends (RFC 7396): null removes a key, and keys that are not sent stay, also
   * those that another patch writes at the same time. The values must not be nullable.
   * @default false
   */
  readonly merge?: boolean;
  /**
   * The keys by which clients may filter, with the operators of `policy.filter`, which then is about them and not about
   * the map. Only for maps of single values.
   * @default none
   *
   * @example
   * filterKeys: ['colour', 'size'], policy: { filter: ['eq', 'in'] }
   */
  readonly filterKeys?: readonly string[];
}

/**
 * A function that validates several fields of an object together. It gets the object in document form, and must not be
 * async. It returns nothing if the object is acceptable. Otherwise it returns a sentence whose subject is the object
 * ("must end after it begins"), or an array of errors of single fields, with paths relative to the object. The `rule`
 * of such an error is `check` unless it names one of its own.
 *
 * @example
 * const check: Check<{ begin: Date; end: Date }> = ({ begin, end }) =>
 *   begin < end ? undefined : 'must end after it begins';
 * t.object('Period', { begin: t.date(), end: t.date() }, { check });
 */
export type Check<Value = never> = (value: Value) => string | readonly FieldErrorInput[] | undefined;

/** Options of `t.object`. */
export interface ObjectOptions<Value> extends FieldOptions<Value> {
  /** Validates several fields together, whenever the whole object is written (see `Check`). @default none */
  readonly check?: Check<Value>;
}

/** Options of `t.ref`. */
export interface RefOptions<Value> extends FieldOptions<Value> {
  /** The name under which an included record is added. @default none: the included record replaces the id */
  readonly as?: string;
  /**
   * The path of the resource whose scope and guards (those of Get) apply to included records.
   * @default the resource whose path is the model's collection, else the model's only resource
   */
  readonly resource?: string;
  /**
   * Whether a write that sets the reference is refused (422) unless the record is there, and within the scope and Get
   * guards of its resource. See `docs/reference/relations.md`.
   * @default false, true with `onDelete`
   */
  readonly exists?: boolean;
  /**
   * What a delete of the other record does to this one: deletes it too (`cascade`), is refused because of it
   * (`restrict`, 409), removes the reference (`nullify`), or removes it from its array (`pull`). Writes that set the
   * reference are transactions then, so that it holds when both happen at once.
   * @default the delete does nothing, and the reference leads nowhere
   */
  readonly onDelete?: 'cascade' | 'restrict' | 'nullify' | 'pull';
}

/**
 * Refuses unknown options, in the options object and in its `policy`. Without this type a generic parameter would
 * accept a typo. Editors show the descriptions of the options because of `Legal`.
 */
export type Closed<Options, Legal> = Legal & {
  [Key in keyof Options]: Key extends keyof Legal
    ? Key extends 'policy'
      ? { [Name in keyof Options[Key]]: Name extends keyof Policy ? Options[Key][Name] : never }
      : Options[Key]
    : never;
};
