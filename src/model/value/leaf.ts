import type { Invalid } from '../../rules.ts';
import type { WriteBson } from './write-bson.ts';

/**
 * A type of single values, between its four forms: *stored* (what is given to the driver and comes from it), *document* (what handlers
 * hold), JSON, and the text of a query string or path. Nothing here knows policies, defaults or null.
 */
export interface Leaf<Stored = unknown> {
  /** Its name in errors about definitions. */
  readonly name: string;
  /** The JSON Schema of what a client reads. */
  readonly readSchema: Readonly<Record<string, unknown>>;
  /** The JSON Schema of what a client may send, where it differs. */
  readonly writeSchema?: Readonly<Record<string, unknown>>;
  /** The JSON Schema of its text in a query string, where it differs from what a client may send. */
  readonly textSchema?: Readonly<Record<string, unknown>>;
  /** Keywords of its own range: published with both, and nothing that a definition states. */
  readonly range?: Readonly<Record<string, unknown>>;
  /** The BSON types that stored values of this leaf may have, by their `$type` names. */
  readonly bsonTypes: readonly string[];
  /** Reads a value of a parsed JSON body. */
  fromJson(value: unknown): Stored | Invalid;
  /** Reads the text of a query parameter or path segment. */
  fromText(text: string): Stored | Invalid;
  /** Reads a value from the deployer's own code: a handler, a default, server fields, a scope. */
  fromDocument(value: unknown): Stored | Invalid;
  /** The value for handlers. */
  toDocument(stored: unknown): unknown;
  /** The JSON text for an answer. */
  toJson(stored: unknown): string;
  /** The same from the bytes of the stored value. @default that of an untyped value */
  readonly writeBson?: WriteBson;
}

/** Says what is wrong with a value. */
export type Constraint = (value: unknown) => Invalid | undefined;
