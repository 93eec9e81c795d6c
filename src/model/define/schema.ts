import type { Decimal128 } from 'mongodb';
import type { FieldErrorInput } from '../../rules.ts';
import type { Policy } from './policy.ts';

/** The four TypeScript types of a field: as handlers hold it, and as a client reads, creates and patches it. */
export interface FieldTypes {
  readonly document: unknown;
  readonly read: unknown;
  readonly create: unknown;
  readonly patch: unknown;
}

/** Those of a single value. */
export interface LeafTypes<Document, Json, Write = Json> {
  readonly document: Document;
  readonly read: Json;
  readonly create: Write;
  readonly patch: Write;
}

/** Those of a value that may be null. */
export interface NullableTypes<Types extends FieldTypes> {
  readonly document: Types['document'] | null;
  readonly read: Types['read'] | null;
  readonly create: Types['create'] | null;
  readonly patch: Types['patch'] | null;
}

/** Those of an array, which is replaced whole. */
export interface ArrayTypes<Types extends FieldTypes> {
  readonly document: Types['document'][];
  readonly read: Types['read'][];
  readonly create: readonly Types['create'][];
  readonly patch: readonly Types['create'][];
}

/** Those of a map, which is replaced whole. */
export interface MapTypes<Types extends FieldTypes> {
  readonly document: Record<string, Types['document']>;
  readonly read: Record<string, Types['read']>;
  readonly create: Readonly<Record<string, Types['create']>>;
  readonly patch: Readonly<Record<string, Types['create']>>;
}

/**
 * What the builders of `t` return: a JSON Schema (2020-12) with the library's own keywords, and its TypeScript types. `Options` is the
 * literal type of the options it was built with, from which the types of a model are inferred. The two `~` members exist in types only.
 */
export interface Field<Types extends FieldTypes = FieldTypes, Options = unknown> {
  readonly '~types': Types;
  readonly '~options': Options;
}

/** A JSON Schema written by hand: accepted wherever a field is, with the same keywords, and checked as strictly at start-up. */
export interface RawSchema {
  readonly policy?: Policy;
  readonly [keyword: string]: unknown;
}

/** A schema that TypeBox built: as a {@link RawSchema}, but `Type.Optional` is known. */
export interface TypeBoxSchema {
  readonly '~kind': string;
}

/** What describes a value: a builder of `t`, or a JSON Schema. */
export type FieldSchema = Field | RawSchema | TypeBoxSchema;

/** The fields of a model or of an embedded object, by name. */
export type Fields = Readonly<Record<string, FieldSchema>>;

/** Options of every field. */
export interface FieldOptions<Value = unknown> {
  /** Shown in the OpenAPI description. */
  readonly title?: string;
  /** Shown in the OpenAPI description. */
  readonly description?: string;
  /** Example values as they travel in JSON, for the OpenAPI description. */
  readonly examples?: readonly unknown[];
  /** Marked so in the OpenAPI description. @default false */
  readonly deprecated?: boolean;
  /** The value of a field that was not sent, or a function that makes it; a default makes the field optional for clients. */
  readonly default?: Value | (() => Value);
  /** What a client may do with the field. */
  readonly policy?: Policy;
  /** Settable on create only. @default false */
  readonly immutable?: boolean;
  /**
   * No two records have the same value (409); records without one are not compared. It is an index of the database that sees to it, which
   * `applyIndexes(api)` creates. Only for single values outside of lists and maps. @default false
   */
  readonly unique?: boolean;
  /** `false`: `planIndexes` plans no index for the filters and sorts of this field. @default true */
  readonly index?: boolean;
}

/** Options of `t.nullable`: those of any field, and what clearing does. */
export interface NullableOptions<Value = unknown> extends FieldOptions<Value | null> {
  /** Null is stored as null; otherwise the key is removed. @default false */
  readonly storeNone?: boolean;
}

/** Options of `t.string`. Lengths are in Unicode code points. */
export interface StringOptions extends FieldOptions<string> {
  readonly minLength?: number;
  readonly maxLength?: number;
  /** An ECMA-262 regular expression with the `u` flag; not anchored, as JSON Schema says. */
  readonly pattern?: string;
  /** A format of ajv-formats, such as `email` or `uri`. */
  readonly format?: string;
}

/** Options of `t.int` and `t.float`. */
export interface NumberOptions extends FieldOptions<number> {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
}

/** Options of `t.int64`: bounds are inclusive and exact. */
export interface Int64Options extends FieldOptions<bigint> {
  readonly minimum?: bigint | number;
  readonly maximum?: bigint | number;
}

/** Options of `t.decimal`: bounds are inclusive and exact; give fractions as strings. */
export interface DecimalOptions extends FieldOptions<Decimal128> {
  readonly minimum?: Decimal128 | string | number | bigint;
  readonly maximum?: Decimal128 | string | number | bigint;
}

/** Options of `t.array`. */
export interface ArrayOptions<Value> extends FieldOptions<Value> {
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
}

/** Options of `t.map`. */
export interface MapOptions<Value> extends FieldOptions<Value> {
  readonly minProperties?: number;
  readonly maxProperties?: number;
  /** A JSON Schema of strings that every key must match, such as `{ pattern: '^[a-z]{3}$' }`. */
  readonly propertyNames?: { readonly pattern?: string; readonly minLength?: number; readonly maxLength?: number };
}

/**
 * A validator over several fields of a whole object, in document form: nothing when it is acceptable, else a sentence that follows the
 * object's path ("must end after it begins"), or errors of its fields, relative to the object; their `rule` is `check` unless they name one
 * of your own. It must not wait for anything.
 */
export type Check<Value = never> = (value: Value) => string | readonly FieldErrorInput[] | undefined;

/** Options of `t.object`. */
export interface ObjectOptions<Value> extends FieldOptions<Value> {
  /** Validates several fields at once, wherever the whole object is written (see `Check`). */
  readonly check?: Check<Value>;
}

/** Options of `t.ref`. */
export interface RefOptions<Value> extends FieldOptions<Value> {
  /** Where the record is added when included; without it the record replaces the id. */
  readonly as?: string;
  /**
   * The path of the resource whose scope and Get guards hold for included records.
   * @default the one whose path is the model's collection, else the model's only one
   */
  readonly resource?: string;
}

/** Refuses options that do not exist, in the options object and in its `policy`: without it a generic parameter would accept a typo. */
export type Closed<Options, Legal> = {
  [Key in keyof Options]: Key extends keyof Legal
    ? Key extends 'policy'
      ? { [Name in keyof Options[Key]]: Name extends keyof Policy ? Options[Key][Name] : never }
      : Options[Key]
    : never;
};
