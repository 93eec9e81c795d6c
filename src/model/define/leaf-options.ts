import type { Binary, Decimal128, UUID } from 'mongodb';
import type { FieldOptions } from './schema.ts';

/** Options of `t.string`. Lengths are in Unicode code points. */
export interface StringOptions extends FieldOptions<string> {
  /** The shortest text that is accepted, in code points. @default none */
  readonly minLength?: number;
  /** The longest text that is accepted, in code points. @default none */
  readonly maxLength?: number;
  /**
   * An ECMA-262 regular expression with the `u` flag. As in JSON Schema, it is not anchored.
   * @default none
   *
   * @example
   * pattern: '^[A-Z]{2}-[0-9]+$'
   */
  readonly pattern?: string;
  /**
   * A format of ajv-formats, such as `email` or `uri`.
   * @default none
   *
   * @example
   * format: 'email'
   */
  readonly format?: string;
  /**
   * Whether the filters and sorts of clients ignore case and accents, and unique indexes ignore case. With
   * `{ accents: false }`, unique indexes ignore accents, too. A folded value is stored beside the text. Scopes, stores
   * and references compare exactly. See `docs/reference/models.md`.
   * @default false
   *
   * @example
   * caseless: true
   */
  readonly caseless?: boolean | { readonly accents?: boolean };
}

/** Options of `t.from`. Only a string may be `caseless`. */
export interface FromOptions<Value = unknown> extends FieldOptions<Value>, Pick<StringOptions, 'caseless'> {}

/** Options of `t.int` and `t.float`. */
export interface NumberOptions extends FieldOptions<number> {
  /** The least value that is accepted. @default none */
  readonly minimum?: number;
  /** The greatest value that is accepted. @default none */
  readonly maximum?: number;
  /** A bound that every value must exceed. @default none */
  readonly exclusiveMinimum?: number;
  /** A bound that no value may reach. @default none */
  readonly exclusiveMaximum?: number;
  /** The number of which every value must be a multiple. @default none */
  readonly multipleOf?: number;
}

/** Options of `t.int64`. Bounds are inclusive and exact. */
export interface Int64Options extends FieldOptions<bigint> {
  /** The least value that is accepted. @default none */
  readonly minimum?: bigint | number;
  /** The greatest value that is accepted. @default none */
  readonly maximum?: bigint | number;
}

/** Options of `t.boolean`. */
export interface BooleanOptions extends FieldOptions<boolean> {
  /** How the database has the values: `int` is 1 or 0. @default a BSON boolean */
  readonly storedAs?: 'int';
}

/** Options of `t.date`. */
export interface DateOptions extends FieldOptions<Date> {
  /**
   * How the database has the values: as a text in UTC with milliseconds (`2026-01-31T12:00:00.000Z`), or as an integer
   * of milliseconds or seconds since 1970. A date that the form cannot hold is 422, and a stored value that is not in
   * the form is 500.
   * @default a BSON date
   */
  readonly storedAs?: 'string' | 'epoch-ms' | 'epoch-s';
}

/** Options of `t.uuid`. */
export interface UuidOptions extends FieldOptions<UUID> {
  /**
   * How the database has the bytes of the values, as binary of subtype 3: in the order of the old drivers of .NET, of
   * Java, or of Python. Ids and references take it, too.
   * @default binary of subtype 4
   */
  readonly storedAs?: 'legacy-csharp' | 'legacy-java' | 'legacy-python';
}

/** Options of `t.binary`. */
export interface BinaryOptions extends FieldOptions<Binary> {
  /**
   * The subtype of the values in BSON, from 0 to 255, such as 5 for digests. Clients send bytes, which are stored with
   * it, and find those of this subtype alone. Ids and references take it, too.
   * @default 0, the generic one
   */
  readonly subtype?: number;
}

/** Options of `t.decimal`. Bounds are inclusive and exact. Write fractions as strings. */
export interface DecimalOptions extends FieldOptions<Decimal128> {
  /**
   * How the database has the values: `int` is an integer of the smallest unit, which `scale` names.
   * @default a Decimal128
   */
  readonly storedAs?: 'int';
  /** With `storedAs: 'int'`: how many digits stand behind the point, from 0 to 18. 2 for cents. @default none */
  readonly scale?: number;
  /** The least value that is accepted. @default none */
  readonly minimum?: Decimal128 | string | number | bigint;
  /** The greatest value that is accepted. @default none */
  readonly maximum?: Decimal128 | string | number | bigint;
}
