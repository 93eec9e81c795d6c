import type { Binary, Decimal128, ObjectId, UUID } from 'mongodb';
import Type, { type TSchema } from 'typebox';
import { ConfigurationError } from '../errors.ts';
import type { CreateOf, DocumentOf, HasFields, PatchOf, ReadOf } from './infer.ts';
import type {
  ArrayOptions,
  Closed,
  DecimalOptions,
  Field,
  FieldOptions,
  Fields,
  Int64Options,
  MapOptions,
  NullableOptions,
  NumberOptions,
  ObjectOptions,
  RawSchema,
  RefOptions,
  StringOptions,
} from './schema.ts';

interface Leaf<Document, Json, Write = Json> {
  readonly document: Document;
  readonly read: Json;
  readonly create: Write;
  readonly patch: Write;
}
type TypesIn<F> = F extends Field<infer Types, infer _> ? Types : Leaf<unknown, unknown>;
type OptionsIn<F> = F extends { readonly '~options': infer Options } ? Options : F;

/** A wrapper's options belong to the field: they are laid over those of what it wraps, policy option by policy option. */
type Over<Inner, Outer> = Omit<Inner, keyof Outer> &
  Omit<Outer, 'policy'> &
  (Outer extends { readonly policy: infer P }
    ? { readonly policy: Inner extends { readonly policy: infer Q } ? Omit<Q, keyof P> & P : P }
    : Inner extends { readonly policy: infer Q }
      ? { readonly policy: Q }
      : unknown);

type Nullish<Types extends { document: unknown; read: unknown; create: unknown; patch: unknown }> = {
  readonly document: Types['document'] | null;
  readonly read: Types['read'] | null;
  readonly create: Types['create'] | null;
  readonly patch: Types['patch'] | null;
};

interface ListOf<Types extends { document: unknown; read: unknown; create: unknown; patch: unknown }> {
  readonly document: Types['document'][];
  readonly read: Types['read'][];
  readonly create: readonly Types['create'][];
  readonly patch: readonly Types['create'][];
}

interface MapOf<Types extends { document: unknown; read: unknown; create: unknown; patch: unknown }> {
  readonly document: Record<string, Types['document']>;
  readonly read: Record<string, Types['read']>;
  readonly create: Readonly<Record<string, Types['create']>>;
  readonly patch: Readonly<Record<string, Types['create']>>;
}

/** The options of a field that the service sets. */
type Maintained<Document> = Omit<FieldOptions<Document>, 'default'>;

/** An embedded object, as `t.object` returns it. */
export interface ObjectField<F extends Fields, Options = unknown>
  extends Field<{ document: DocumentOf<F>; read: ReadOf<F>; create: CreateOf<F>; patch: PatchOf<F> }, Options>,
    HasFields<F> {}

// TypeBox types its options loosely and its results by its own kinds; the builders below give both the library's types in one place.
const build = <F>(schema: TSchema): F => schema as F;
const open = (options: unknown): Record<string, unknown> => (options ?? {}) as Record<string, unknown>;

/** A default would never be used. */
function withoutDefault(name: string, options: unknown): Record<string, unknown> {
  if ('default' in open(options)) throw new ConfigurationError(`\`t.${name}\` takes no \`default\`: the service sets it. Leave it out.`);
  return open(options);
}

function maintainedDate(marker: 'createdAt' | 'updatedAt', options: unknown): TSchema {
  return Type.Unsafe({ type: 'string', format: 'date-time', ...withoutDefault(marker, options), bsonType: 'date', maintained: marker });
}

/** A copy of a schema with more keywords. TypeBox marks kinds by non-enumerable properties, which a spread would lose. */
function extend(schema: TSchema, keywords: Record<string, unknown>): TSchema {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as Record<string, unknown>;
  const { policy, ...rest } = keywords;
  Object.assign(copy, rest);
  if (policy !== undefined) copy.policy = { ...open(copy.policy), ...open(policy) };
  return copy;
}

/**
 * The builders of fields. Each returns JSON Schema (2020-12); what is stored that JSON has no type for is named by `bsonType`.
 *
 * @example
 * const Address = t.object('Address', { street: t.string(), zip: t.optional(t.string()) });
 */
export const t = {
  /** Text. */
  string: <const O extends StringOptions>(options?: O & Closed<O, StringOptions>): Field<Leaf<string, string>, O> =>
    build(Type.String(open(options))),

  /** A whole number within the safe range of a JavaScript number; stored as BSON int or long. */
  int: <const O extends NumberOptions>(options?: O & Closed<O, NumberOptions>): Field<Leaf<number, number>, O> =>
    build(Type.Integer({ ...open(options), bsonType: 'int' })),

  /** A signed 64-bit integer: bigint in handlers, a JSON number of all its digits on the wire; stored as BSON long. */
  int64: <const O extends Int64Options>(options?: O & Closed<O, Int64Options>): Field<Leaf<bigint, number | bigint>, O> =>
    build(Type.Unsafe({ type: 'integer', format: 'int64', ...open(options), bsonType: 'long' })),

  /** A finite double. */
  float: <const O extends NumberOptions>(options?: O & Closed<O, NumberOptions>): Field<Leaf<number, number>, O> =>
    build(Type.Number({ ...open(options), bsonType: 'double' })),

  /** A Decimal128 of at most 34 digits: number or string in, string out. */
  decimal: <const O extends DecimalOptions>(
    options?: O & Closed<O, DecimalOptions>,
  ): Field<Leaf<Decimal128, string, string | number | bigint>, O> =>
    build(Type.Unsafe({ type: 'string', format: 'decimal', ...open(options), bsonType: 'decimal' })),

  /** True or false. */
  boolean: <const O extends FieldOptions<boolean>>(options?: O & Closed<O, FieldOptions<boolean>>): Field<Leaf<boolean, boolean>, O> =>
    build(Type.Boolean(open(options))),

  /** A point in time, in milliseconds: an RFC 3339 date-time on the wire (without an offset it is UTC). */
  date: <const O extends FieldOptions<Date>>(options?: O & Closed<O, FieldOptions<Date>>): Field<Leaf<Date, string>, O> =>
    build(Type.Unsafe({ type: 'string', format: 'date-time', ...open(options), bsonType: 'date' })),

  /** An ObjectId: 24 hexadecimal digits on the wire. */
  objectId: <const O extends FieldOptions<ObjectId>>(options?: O & Closed<O, FieldOptions<ObjectId>>): Field<Leaf<ObjectId, string>, O> =>
    build(Type.Unsafe({ type: 'string', pattern: '^[0-9a-fA-F]{24}$', ...open(options), bsonType: 'objectId' })),

  /** A UUID (RFC 9562), stored as binary of subtype 4. */
  uuid: <const O extends FieldOptions<UUID>>(options?: O & Closed<O, FieldOptions<UUID>>): Field<Leaf<UUID, string>, O> =>
    build(Type.Unsafe({ type: 'string', format: 'uuid', ...open(options), bsonType: 'binData' })),

  /** Bytes: base64 on the wire (RFC 4648 §4). */
  binary: <const O extends FieldOptions<Binary>>(options?: O & Closed<O, FieldOptions<Binary>>): Field<Leaf<Binary, string>, O> =>
    build(Type.Unsafe({ type: 'string', contentEncoding: 'base64', ...open(options), bsonType: 'binData' })),

  /** One of the given strings; of an `enum` of TypeScript, `Object.values(Colour)`. */
  enum: <const V extends readonly string[], const O extends FieldOptions<V[number]>>(
    values: V & (V extends readonly [] ? never : unknown),
    options?: O & Closed<O, FieldOptions<V[number]>>,
  ): Field<Leaf<V[number], V[number]>, O> =>
    build(Type.Unsafe({ type: 'string', enum: Array.isArray(values) ? [...values] : values, ...open(options) })),

  /** A list, replaced whole by patch and put. */
  array: <I extends Field | RawSchema, const O extends ArrayOptions<TypesIn<I>['document'][]>>(
    items: I,
    options?: O & Closed<O, ArrayOptions<unknown>>,
  ): Field<ListOf<TypesIn<I>>, O> => build(Type.Array(items, open(options))),

  /** String keys, chosen by the client, to values of one type; replaced whole by patch and put. Keys with `$` or dots are data. */
  map: <V extends Field | RawSchema, const O extends MapOptions<Record<string, TypesIn<V>['document']>>>(
    values: V,
    options?: O & Closed<O, MapOptions<unknown>>,
  ): Field<MapOf<TypesIn<V>>, O> => build(Type.Unsafe({ type: 'object', additionalProperties: values, ...open(options) })),

  /** Any JSON; whatever it holds in the database is served as JSON. */
  any: <const O extends FieldOptions>(options?: O & Closed<O, FieldOptions>): Field<Leaf<unknown, unknown>, O> =>
    build(Type.Unsafe(open(options))),

  /** An embedded object. Its name is its schema's name in the OpenAPI description: two different ones of one name are refused. */
  object: <const F extends Fields, const O extends ObjectOptions<DocumentOf<F>>>(
    name: string,
    fields: F,
    options?: O & Closed<O, ObjectOptions<DocumentOf<F>>>,
  ): ObjectField<F, O> => build(Type.Object(fields, { ...open(options), objectName: name })),

  /** May be absent: clearing by null removes it, on create it is left out. The options belong to this field. */
  optional: <F extends Field | RawSchema, const O extends FieldOptions<TypesIn<F>['document']>>(
    field: F,
    options?: O & Closed<O, FieldOptions>,
  ): Field<TypesIn<F>, Over<OptionsIn<F>, O> & { readonly '~optional': true }> => build(Type.Optional(extend(field, open(options)))),

  /** May be null, and is null when it was never set. The options belong to this field. */
  nullable: <F extends Field | RawSchema, const O extends NullableOptions<TypesIn<F>['document']>>(
    field: F,
    options?: O & Closed<O, NullableOptions>,
  ): Field<Nullish<TypesIn<F>>, Over<OptionsIn<F>, O> & { readonly '~nullable': true }> => {
    const nullable = extend(Type.Unsafe({ anyOf: [field, { type: 'null' }] }), open(options));
    return build(Type.IsOptional(field) ? Type.Optional(nullable) : nullable);
  },

  /** The id of a record of another model; embedded in an answer only through `include`. An ObjectId unless `id` says otherwise. */
  ref: <const O extends RefOptions<TypesIn<I>['document']>, I extends Field | RawSchema = Field<Leaf<ObjectId, string>>>(
    model: string,
    options?: O & Closed<O, RefOptions<unknown> & { id: unknown }> & { readonly id?: I },
  ): Field<TypesIn<I>, O> => {
    const { id = t.objectId(), as, resource, ...rest } = open(options);
    const ref = { model, ...(as === undefined ? {} : { as }), ...(resource === undefined ? {} : { resource }) };
    return build(extend(id as TSchema, { ...rest, ref }));
  },

  /** The record's revision: 0 on create, one more with each write; in double quotes it is the ETag. */
  revision: <const O extends Maintained<number>>(
    options?: O & Closed<O, Maintained<number>>,
  ): Field<Leaf<number, number>, O & { readonly '~maintained': true }> =>
    build(Type.Integer({ minimum: 0, ...withoutDefault('revision', options), default: 0, bsonType: 'int', maintained: 'revision' })),

  /** When the record was created. */
  createdAt: <const O extends Maintained<Date>>(
    options?: O & Closed<O, Maintained<Date>>,
  ): Field<Leaf<Date, string>, O & { readonly '~maintained': true }> => build(maintainedDate('createdAt', options)),

  /** When the record was last written. */
  updatedAt: <const O extends Maintained<Date>>(
    options?: O & Closed<O, Maintained<Date>>,
  ): Field<Leaf<Date, string>, O & { readonly '~maintained': true }> => build(maintainedDate('updatedAt', options)),
};
