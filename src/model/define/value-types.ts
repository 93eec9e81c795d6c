/**
 * The TypeScript types of a field: in documents, in what a client reads, creates and patches, and in the changes that
 * hooks hold.
 */
export interface FieldTypes {
  readonly document: unknown;
  readonly read: unknown;
  readonly create: unknown;
  readonly patch: unknown;
  readonly changes: unknown;
  /** The names of rules in the policies of fields inside the value. */
  readonly rules?: unknown;
  /** The references inside the value, as {@link RelationsIn} has them. */
  readonly relations?: unknown;
}

/** The names of rules inside a value of these types. */
export type RulesIn<Types> = Types extends { readonly rules: infer Rules } ? Rules : never;

/**
 * The references inside a value of these types: `''` for the value itself, `=<as>` for one with a name of its own, both
 * with `[]` in front if an array holds them, and otherwise the names in an embedded object.
 */
export type RelationsIn<Types> = Types extends { readonly relations: infer Relations extends string } ? Relations : never;

/** The types of a single value. */
export interface LeafTypes<Document, Json, Write = Json> {
  readonly document: Document;
  readonly read: Json;
  readonly create: Write;
  readonly patch: Write;
  readonly changes: Document;
}

/** The types of a reference. */
export interface ReferenceTypes<Types extends FieldTypes, Options> {
  readonly document: Types['document'];
  readonly read: Types['read'];
  readonly create: Types['create'];
  readonly patch: Types['patch'];
  readonly changes: Types['changes'];
  readonly relations: Options extends { readonly as: infer As extends string } ? `=${As}` : '';
}

/** The types of a value that may be null. */
export interface NullableTypes<Types extends FieldTypes> {
  readonly document: Types['document'] | null;
  readonly read: Types['read'] | null;
  readonly create: Types['create'] | null;
  readonly patch: Types['patch'] | null;
  readonly changes: Types['changes'] | null;
  readonly rules: RulesIn<Types>;
  readonly relations: RelationsIn<Types>;
}

type InArray<Relation extends string> = Relation extends '' | `=${string}` ? `[]${Relation}` : Relation;

/** The types of an array. A patch replaces the whole array. */
export interface ArrayTypes<Types extends FieldTypes> {
  readonly document: Types['document'][];
  readonly read: Types['read'][];
  readonly create: readonly Types['create'][];
  readonly patch: readonly Types['create'][];
  readonly changes: Types['document'][];
  readonly rules: RulesIn<Types>;
  readonly relations: InArray<RelationsIn<Types>>;
}

/** The types of a map. A patch replaces the whole map, unless its `Options` say that it merges keys. */
export interface MapTypes<Types extends FieldTypes, Options = unknown> {
  readonly document: Record<string, Types['document']>;
  readonly read: Record<string, Types['read']>;
  readonly create: Readonly<Record<string, Types['create']>>;
  readonly patch: Readonly<Record<string, Options extends { readonly merge: true } ? Types['patch'] | null : Types['create']>>;
  readonly changes: Record<string, Options extends { readonly merge: true } ? Types['changes'] | null : Types['document']>;
  readonly rules: RulesIn<Types>;
}
