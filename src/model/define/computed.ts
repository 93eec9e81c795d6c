import type { OptionsIn, TypesIn } from './field-types.ts';
import type { ComputedOf, DocumentOf } from './infer.ts';
import type { Field, FieldSchema, Fields } from './schema.ts';

/** The names of the fields of which a computed field is made. */
type NamesOf<From> = From extends readonly (infer Name)[] ? Name : keyof From;

/** The values that `get` takes if its parameter has no type: they have one only if the fields themselves are given. */
export type ValuesOf<From> = From extends Fields ? DocumentOf<From> : Readonly<Record<NamesOf<From> & string, unknown>>;

/** The value of a computed field, in document form. */
export type Computed<S> = TypesIn<S>['document'] | (OptionsIn<S> extends { readonly '~optional': true } ? undefined : never);

/** Refuses a promise where any value would do. */
export type Synchronous<Value> = Value extends PromiseLike<unknown> ? never : unknown;

/** A field that is made of others when it is shown: clients read it, and nothing else has it. */
export type ComputedField<S extends FieldSchema, From, Values> = Field<
  { document: never; read: TypesIn<S>['read']; create: never; patch: never; changes: never },
  OptionsIn<S> & { readonly '~computed': ComputedOf<NamesOf<From>, Values>; readonly '~maintained': true }
>;
