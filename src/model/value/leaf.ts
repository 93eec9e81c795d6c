import type { Invalid } from '../../rules.ts';
import type { AcceptedForm } from './accepted.ts';
import type { WriteBson } from './write-bson.ts';

/**
 * A type of single values. It converts them between four forms: *stored* (for the driver), *document* (for handlers),
 * JSON, and the text of a query string or path. It does not know policies, defaults or null.
 */
export interface Leaf<Stored = unknown> {
  /** Its name in errors about definitions. The forms in which a type may be stored share its name. */
  readonly name: string;
  /** The leaf of the same type in its own form, if this one stores its values in another. */
  readonly base?: Leaf;
  /** The name of its stored form, if no value in it equals one in another form of the type. */
  readonly storedAs?: string;
  /** The subtype of its binary data, if it is not the generic one. */
  readonly subtype?: number;
  /**
   * The expression of the database for the value at a path in the type's own form; null where it does not fit. Only a
   * leaf with `base` has it, and none of ids.
   */
  readonly ownForm?: (path: string) => object;
  /** The JSON Schema of values that a client reads. */
  readonly readSchema: Readonly<Record<string, unknown>>;
  /** The JSON Schema of values that a client may send, if it differs. */
  readonly writeSchema?: Readonly<Record<string, unknown>>;
  /** The JSON Schema of the text in a query string, if it differs from the values that a client may send. */
  readonly textSchema?: Readonly<Record<string, unknown>>;
  /** Keywords of the range of the type itself. They are published with both schemas. */
  readonly range?: Readonly<Record<string, unknown>>;
  /** The BSON types of its stored values, by their `$type` names. */
  readonly bsonTypes: readonly string[];
  /**
   * The forms in which a collection may have its values. Undefined for a type that reads any value, or whose values
   * have parts.
   */
  readonly accepted?: readonly AcceptedForm[];
  /** Reads a value of a parsed JSON body. */
  fromJson(value: unknown): Stored | Invalid;
  /**
   * The text of the next value that can be stored, if a text lies between two of them. {@link fromText} reads the one
   * before.
   */
  nextText?(text: string): string | undefined;
  /** Reads the text of a query parameter or path segment. */
  fromText(text: string): Stored | Invalid;
  /** Reads a value from the deployer's own code: a handler, a default, server fields, a scope. */
  fromDocument(value: unknown): Stored | Invalid;
  /** Reads the same for a comparison with stored values, which it need not be able to equal. @default `fromDocument` */
  readonly fromCompared?: (value: unknown) => unknown;
  /** Reads a value that `toDocument` has returned, for a comparison with the model. @default `fromDocument` */
  readonly fromStored?: (document: unknown) => Stored | Invalid;
  /** The value for handlers. */
  toDocument(stored: unknown): unknown;
  /** The JSON text for an answer. */
  toJson(stored: unknown): string;
  /** Writes the same text from the BSON bytes of the stored value. @default the writer of untyped values */
  readonly writeBson?: WriteBson;
}

/** Thrown by a leaf for a stored value that it cannot read. Whoever reads a record says which record it is. */
export class MisfitError extends Error {}

/** Returns what is wrong with a value, or undefined. */
export type Constraint = (value: unknown) => Invalid | undefined;
