import type { Field, Fields } from './schema.ts';
import type { RelationsIn } from './value-types.ts';

/**
 * The names of the relations among these fields. They are members of an interface, because TypeScript would show the
 * name of an alias in place of them.
 */
export interface RelationNames<F extends Fields> {
  /** References, as `include` names them: those of embedded objects with dots. */
  readonly references: { [K in keyof F & string]: NameIn<K, ReferencesIn<F[K]>> }[keyof F & string];
  /** Relations by `t.hasMany`. */
  readonly many: { [K in keyof F & string]: F[K] extends Many ? K : never }[keyof F & string];
  /** Those without `count`: the names of `nested`. */
  readonly lists: { [K in keyof F & string]: F[K] extends Many ? (F[K]['~types']['read'] extends number ? never : K) : never }[keyof F &
    string];
  /** Arrays of references outside of embedded objects: the names of `links`. */
  readonly arrays: { [K in keyof F & string]: ArrayIn<K, ReferencesIn<F[K]>> }[keyof F & string];
  /** The names of `include` and `through`. What follows a relation belongs to another model. */
  readonly paths: Paths<this['references'] | this['many']>;
}

type Paths<Name extends string> = string extends Name ? string : keyof { [N in Name as N | `${N}.${string}`]: true };

type Many = Field<{ document: never; read: unknown; create: never; patch: never; changes: never }, { readonly '~many': true }>;

/** Those of a hand-written schema are not known: they may have any name. */
type ReferencesIn<F> = F extends Field<infer Types, infer _> ? RelationsIn<Types> : F extends Single ? never : string;

/** A hand-written schema that holds no other schema, and is no reference. */
type Single = { readonly type: unknown } & {
  readonly [Keyword in 'ref' | 'properties' | 'items' | 'additionalProperties' | 'anyOf' | '~kind']?: never;
};

type NameIn<Name extends string, Reference extends string> = string extends Reference
  ? string
  : Reference extends '' | '[]'
    ? Name
    : Reference extends `=${infer As}` | `[]=${infer As}`
      ? As
      : `${Name}.${Reference}`;

type ArrayIn<Name extends string, Reference extends string> = string extends Reference
  ? string
  : Reference extends '[]'
    ? Name
    : Reference extends `[]=${infer As}`
      ? As
      : never;

/** The names, or if there are none a sentence, which the message of TypeScript shows. Any name if `F` is not known. */
export type NamesOr<Sentence extends string, Names, F extends Fields> = [F] extends [never]
  ? string
  : [Names] extends [never]
    ? Sentence
    : Names;
