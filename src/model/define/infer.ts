import type { ObjectId, UUID } from 'mongodb';
import type { Given } from './given.ts';
import type { TypeOfSchema } from './json-schema-type.ts';
import type { Field, Fields } from './schema.ts';
import type { InputOf, OutputOf } from './standard-schema.ts';
import type { RulesIn } from './value-types.ts';

type TypesOf<F> =
  F extends Field<infer Types, infer _> ? Types : { document: unknown; read: unknown; create: unknown; patch: unknown; changes: unknown };
type OptionsOf<F> = F extends { readonly '~options': infer Options } ? Options : F;

/** Whether the options of a field are such. */
export type Is<F, Options> = OptionsOf<F> extends Options ? true : false;
type Either<A, B> = A extends true ? true : B;
type Both<A, B> = A extends true ? B : false;
type Not<A> = A extends true ? false : true;

type IsMany<F> = Is<F, { readonly '~many': true }>;
type IsComputed<F> = Is<F, { readonly '~computed': unknown }>;
type IsStored<F> = Not<Either<IsMany<F>, IsComputed<F>>>;
type IsOptional<F> = Is<F, { readonly '~optional': true }>;
type IsNullable<F> = Is<F, { readonly '~nullable': true }>;
/** Whether a plug-in has made it: it says how clients change the field, and patch and put do not set it. */
type IsOfKind<F> = Is<F, { readonly '~kind': string }>;
type IsMaintained<F> = Is<F, { readonly '~maintained': true }>;
type IsPrivate<F> = Either<Is<F, { readonly policy: { readonly private: true } }>, Is<F, { readonly policy: { readonly read: false } }>>;
type Named = string | readonly string[];
type IsReadByRule<F> = Is<F, { readonly policy: { readonly read: Named } }>;
type IsSetByRule<F> = Is<F, { readonly policy: { readonly insert: Named } }>;
type HasDefault<F> = OptionsOf<F> extends { readonly default: infer Default } ? (undefined extends Default ? false : true) : false;

type IsClosedBy<F, Key extends 'insert' | 'update'> = Either<
  Is<F, { readonly policy: { readonly [K in Key]: false } }>,
  Both<IsPrivate<F>, Not<Is<F, { readonly policy: { readonly [K in Key]: true } }>>>
>;
type IsClosedToCreate<F> = Either<IsMaintained<F>, IsClosedBy<F, 'insert'>>;
type IsClosedToPatch<F> = Either<
  Either<Either<IsMaintained<F>, IsOfKind<F>>, Is<F, { readonly immutable: true }>>,
  IsClosedBy<F, 'update'>
>;
type MayBeLeftOut<F> = Either<Either<Either<IsOptional<F>, IsNullable<F>>, HasDefault<F>>, Either<IsReadByRule<F>, IsSetByRule<F>>>;
type HasOwnRead<F> = Is<F, { readonly policy: { readonly read: unknown } }>;
type SourcesOf<F> = OptionsOf<F> extends { readonly '~computed': { readonly from: infer Name } } ? Name : never;
/** Whether some callers may not read all of which a computed field is made. */
type InheritsRule<F, All> = true extends {
  [K in keyof All]: K extends SourcesOf<F>
    ? Either<IsReadByRule<All[K]>, [RulesIn<TypesOf<All[K]>>] extends [never] ? false : true>
    : false;
}[keyof All]
  ? Not<HasOwnRead<F>>
  : false;
type MayBeUnread<F, All> = Either<Either<IsOptional<F>, IsReadByRule<F>>, Both<IsComputed<F>, InheritsRule<F, All>>>;

type NamesIn<Allowed> = Allowed extends string ? Allowed : Allowed extends readonly (infer Name extends string)[] ? Name : never;
type Literal<Name> = Name extends string ? (string extends Name ? never : Name) : never;
type RulesOfField<F> =
  | (OptionsOf<F> extends { readonly policy: infer P } ? Literal<NamesIn<P[keyof P & ('read' | 'insert' | 'update')]>> : never)
  | RulesIn<TypesOf<F>>;

/** The names of the rules in the policies of these fields, at any depth. */
export type RulesOf<F extends Fields> = { [K in keyof F]-?: RulesOfField<F[K]> }[keyof F];

type Simplify<T> = { [K in keyof T]: T[K] } & {};

/** An object of these fields as handlers and hooks hold it. Every field is present except the optional ones. */
export type DocumentOf<F extends Fields> = Simplify<
  { -readonly [K in keyof F as Either<IsOptional<F[K]>, Not<IsStored<F[K]>>> extends true ? never : K]: TypesOf<F[K]>['document'] } & {
    -readonly [K in keyof F as Both<IsOptional<F[K]>, IsStored<F[K]>> extends true ? K : never]?: TypesOf<F[K]>['document'];
  }
>;

/**
 * An object of these fields as a client reads it: JSON values, without private fields. One that a rule hides from some
 * callers may be absent.
 */
export type ReadOf<F extends Fields> = Simplify<
  { [K in keyof F as Either<MayBeUnread<F[K], F>, IsPrivate<F[K]>> extends true ? never : K]: TypesOf<F[K]>['read'] } & {
    [K in keyof F as Both<MayBeUnread<F[K], F>, Not<IsPrivate<F[K]>>> extends true ? K : never]?: TypesOf<F[K]>['read'];
  } & { readonly [K in keyof F as IsMany<F[K]> extends true ? `${K & string}_has_next` : never]?: true } & {
    readonly [K in keyof F as IsMany<F[K]> extends true
      ? TypesOf<F[K]>['read'] extends number
        ? never
        : `${K & string}_list`
      : never]?: string;
  }
>;

/** An object of these fields as a client sends it in a create. */
export type CreateOf<F extends Fields> = Simplify<
  { [K in keyof F as Either<IsClosedToCreate<F[K]>, MayBeLeftOut<F[K]>> extends true ? never : K]: TypesOf<F[K]>['create'] } & {
    [K in keyof F as Both<Not<IsClosedToCreate<F[K]>>, MayBeLeftOut<F[K]>> extends true ? K : never]?: TypesOf<F[K]>['create'];
  }
>;

/**
 * An object of these fields as a client sends it in a patch. No field is required; null clears a field that may be
 * absent.
 */
export type PatchOf<F extends Fields> = Simplify<{
  [K in keyof F as IsClosedToPatch<F[K]> extends true ? never : K]?:
    | TypesOf<F[K]>['patch']
    | (IsOptional<F[K]> extends true ? null : never);
}>;

/** The changes of an object of these fields as hooks of `before` hold them. No field is required. */
export type ChangesOf<F extends Fields> = Simplify<{
  -readonly [K in keyof F as IsMaintained<F[K]> extends true ? never : K]?:
    | TypesOf<F[K]>['changes']
    | (IsOptional<F[K]> extends true ? null : never);
}>;

/** What a computed field says of the fields of its object: their names, and the values that its `get` takes. */
export interface ComputedOf<Name, Values> {
  readonly from: Name;
  readonly takes: (values: Values) => void;
}

/**
 * Refuses a computed field that is made of what its object does not have, or of values of other types. `Id` is the
 * `id` that a model has if its fields have none.
 */
export type SoundlyComputed<F extends Fields, Id = unknown> = {
  readonly [K in keyof F]: [OptionsOf<F[K]>] extends [never]
    ? unknown
    : OptionsOf<F[K]> extends { readonly '~computed': ComputedOf<infer Name, infer Values> }
      ? Id & DocumentOf<F> extends infer All
        ? [Name] extends [keyof All]
          ? Pick<All, Name & keyof All> extends Values
            ? unknown
            : { readonly get: (values: Pick<All, Name & keyof All>) => unknown }
          : { readonly from: keyof All }
        : never
      : unknown;
};

type IsForeign<S> = S extends { readonly '~standard': unknown } ? true : false;

/** The types of a field that a schema of another library or a JSON Schema describes. */
export interface TypesFrom<S> {
  readonly document: IsForeign<S> extends true ? OutputOf<S> : TypeOfSchema<S, 'document'>;
  readonly read: IsForeign<S> extends true ? OutputOf<S> : TypeOfSchema<S, 'read'>;
  readonly create: IsForeign<S> extends true ? InputOf<S> : TypeOfSchema<S, 'create'>;
  readonly patch: PatchFrom<this['create']>;
  readonly changes: PatchFrom<this['document']>;
}

/**
 * The options that a field has by the schema that it is made from: those that a JSON Schema says, and that it may be
 * null.
 */
export type OptionsFrom<S> = (IsForeign<S> extends true ? unknown : Pick<S, keyof S & ('default' | 'immutable' | 'policy')>) &
  (null extends TypesFrom<S>['document'] ? (unknown extends TypesFrom<S>['document'] ? unknown : { readonly '~nullable': true }) : unknown);

/** The type of a body that a JSON Schema describes: an object, of which nothing else may be known. */
export type BodyFrom<S> = TypeOfSchema<S, 'body'> extends infer Body ? (unknown extends Body ? Record<string, unknown> : Body) : never;

/** A value in a patch: an object may lack members, and null removes one that may be absent. */
type PatchFrom<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { [Key in keyof Value]?: PatchFrom<Value[Key]> | (Record<never, never> extends Pick<Value, Key> ? null : never) }
    : Value;

/** A model or an embedded object, whose type holds the types of its fields. */
export interface HasFields<F extends Fields = Fields> {
  readonly '~fields': F;
}

type FieldsOf<M extends HasFields> = M['~fields'];
type WithId<F extends Fields, Id, T> = 'id' extends keyof F ? T : Simplify<{ id: Id } & T>;

/**
 * The type of a model's documents: a record as handlers and hooks hold it. It has `id` in place of `_id`, and its
 * values are of types such as `ObjectId`, `Date`, `bigint` and `Decimal128`.
 *
 * @example
 * type OrderDocument = Document<typeof Order>;
 */
export type Document<M extends HasFields> = WithId<FieldsOf<M>, ObjectId, DocumentOf<FieldsOf<M>>>;

/** An object of these fields as the application's own code creates it, in document form. */
type NewOf<F extends Fields> = Simplify<
  {
    readonly [K in keyof F as Either<IsMaintained<F[K]>, MayBeLeftOut<F[K]>> extends true ? never : K]: Given<TypesOf<F[K]>['document']>;
  } & {
    readonly [K in keyof F as Both<Not<IsMaintained<F[K]>>, MayBeLeftOut<F[K]>> extends true ? K : never]?:
      | Given<TypesOf<F[K]>['document']>
      | undefined;
  }
>;

/**
 * The type of a new record, as `create` of a store takes it: a document without revision and timestamps. Fields with a
 * default, nullable and optional ones may be left out, and so may an id that the service can make.
 *
 * @example
 * type NewOrder = NewDocument<typeof Order>;
 */
export type NewDocument<M extends HasFields> =
  FieldsOf<M> extends { readonly id: infer Id }
    ? TypesOf<Id>['document'] extends ObjectId | UUID
      ? Simplify<{ readonly id?: TypesOf<Id>['document'] } & NewOf<Omit<FieldsOf<M>, 'id'>>>
      : NewOf<FieldsOf<M>>
    : Simplify<{ readonly id?: ObjectId } & NewOf<FieldsOf<M>>>;

/** A document as the `check` of its model gets it: without id, revision and timestamps. */
export type Checked<F extends Fields> = Omit<
  DocumentOf<F>,
  'id' | { [K in keyof F]: IsMaintained<F[K]> extends true ? K : never }[keyof F]
>;

/**
 * The type of a record as a client reads it: JSON values, without private fields.
 *
 * @example
 * type OrderRead = Read<typeof Order>;
 */
export type Read<M extends HasFields> = WithId<FieldsOf<M>, string, ReadOf<FieldsOf<M>>>;

/**
 * The type of the body of a create. It has an `id` only if the policy of the id says `insert: true`. The id is required
 * if the service cannot make one, which it can for ObjectIds and UUIDs.
 *
 * @example
 * type OrderCreate = Create<typeof Order>;
 */
export type Create<M extends HasFields> =
  FieldsOf<M> extends { readonly id: infer Id }
    ? Is<Id, { readonly policy: { readonly insert: true } }> extends true
      ? CreateWithId<FieldsOf<M>, TypesOf<Id>['document']>
      : CreateOf<Omit<FieldsOf<M>, 'id'>>
    : CreateOf<FieldsOf<M>>;

type CreateWithId<F extends Fields, Id> = Id extends ObjectId | UUID
  ? Simplify<CreateOf<Omit<F, 'id'>> & Partial<CreateOf<Pick<F, keyof F & 'id'>>>>
  : CreateOf<F>;

/**
 * The type of the body of a patch. It has no `id`, because an id never changes.
 *
 * @example
 * type OrderPatch = Patch<typeof Order>;
 */
export type Patch<M extends HasFields> = PatchOf<Omit<FieldsOf<M>, 'id'>>;

/**
 * The type of the changes of a patch or put, as hooks of `before` hold them: no field is required, at any depth. Null
 * removes a field that may be absent, and clears one that is nullable. It has neither the id nor what the service
 * itself sets.
 *
 * @example
 * type OrderChanges = ChangesDraft<typeof Order>;
 */
export type ChangesDraft<M extends HasFields> = ChangesOf<Omit<FieldsOf<M>, 'id'>>;
