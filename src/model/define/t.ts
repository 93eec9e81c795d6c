import type { Binary, Decimal128, ObjectId, UUID } from 'mongodb';
import { fieldsOfPlugins } from '../../features/fields.ts';
import type { Point } from '../value/point-leaf.ts';
import { adoptSchema } from './adopt-schema.ts';
import { build, extend, objectSchema, open } from './build-schema.ts';
import type { Computed, ComputedField, Synchronous, ValuesOf } from './computed.ts';
import type { NotOptional, ObjectField, OptionsIn, Overlaid, TypesIn } from './field-types.ts';
import type { HasManyField, HasManyOptions } from './has-many.ts';
import type { DocumentOf, OptionsFrom, SoundlyComputed, TypesFrom } from './infer.ts';
import type {
  BinaryOptions,
  BooleanOptions,
  DateOptions,
  DecimalOptions,
  FromOptions,
  Int64Options,
  NumberOptions,
  StringOptions,
  UuidOptions,
} from './leaf-options.ts';
import { maintainedFields } from './maintained-fields.ts';
import { isOptional, markOptional } from './optional.ts';
import { asSchema, isForeign } from './raw-schema.ts';
import type {
  ArrayOptions,
  Closed,
  Field,
  FieldOptions,
  FieldSchema,
  Fields,
  MapOptions,
  NullableOptions,
  ObjectOptions,
  RawSchema,
  RefOptions,
} from './schema.ts';
import type { OutputOf, StandardSchema } from './standard-schema.ts';
import type { ArrayTypes, LeafTypes, MapTypes, NullableTypes, ReferenceTypes } from './value-types.ts';

/**
 * The builders of fields. Each returns a JSON Schema (2020-12). `bsonType` names a stored type that JSON does not have.
 * Unknown and illegal options do not compile. At run time they are a `ConfigurationError` that names the field.
 *
 * @example
 * const Address = t.object('Address', { street: t.string(), zip: t.optional(t.string()) });
 * const Customer = defineModel('Customer', { collection: 'customers', fields: { address: Address } });
 */
export const t = {
  /**
   * A string of well-formed Unicode. Any other value is 422.
   *
   * @example
   * t.string({ minLength: 1, maxLength: 80, policy: { filter: ['eq', 'prefix'], sort: true } })
   */
  string: <const O extends StringOptions>(options?: O & Closed<O, StringOptions>): Field<LeafTypes<string, string>, O> =>
    build({ type: 'string', ...open(options) }),

  /**
   * An integer within the safe range of a JavaScript number. Stored as a BSON int or long. A fraction or a text is 422.
   *
   * @example
   * t.int({ minimum: 0, default: 1 })
   */
  int: <const O extends NumberOptions>(options?: O & Closed<O, NumberOptions>): Field<LeafTypes<number, number>, O> =>
    build({ type: 'integer', ...open(options), bsonType: 'int' }),

  /**
   * A signed 64-bit integer: a `bigint` in documents, an exact JSON number on the wire. Stored as a BSON long.
   *
   * @example
   * t.int64({ minimum: 0n })
   */
  int64: <const O extends Int64Options>(options?: O & Closed<O, Int64Options>): Field<LeafTypes<bigint, number | bigint>, O> =>
    build({ type: 'integer', format: 'int64', ...open(options), bsonType: 'long' }),

  /**
   * A finite 64-bit floating-point number. Stored as a BSON double. Use `t.decimal` for money.
   *
   * @example
   * t.float({ minimum: -90, maximum: 90 })
   */
  float: <const O extends NumberOptions>(options?: O & Closed<O, NumberOptions>): Field<LeafTypes<number, number>, O> =>
    build({ type: 'number', ...open(options), bsonType: 'double' }),

  /**
   * A decimal of at most 34 digits: a `Decimal128` in documents. Clients read a string, and send that or a JSON number.
   *
   * @example
   * t.decimal({ minimum: '0.01', policy: { filter: ['gte', 'lt'], sort: true } })
   */
  decimal: <const O extends DecimalOptions>(
    options?: O & Closed<O, DecimalOptions>,
  ): Field<LeafTypes<Decimal128, string, string | number | bigint>, O> =>
    build({ type: 'string', format: 'decimal', ...open(options), bsonType: 'decimal' }),

  /**
   * True or false. Any other value is 422, also 0 and 1.
   *
   * @example
   * t.boolean({ default: false })
   */
  boolean: <const O extends BooleanOptions>(options?: O & Closed<O, BooleanOptions>): Field<LeafTypes<boolean, boolean>, O> =>
    build({ type: 'boolean', ...open(options) }),

  /**
   * A point in time in milliseconds: a `Date` in documents, on the wire an RFC 3339 date-time, in UTC without offset.
   *
   * @example
   * t.date({ default: () => new Date() })
   */
  date: <const O extends DateOptions>(options?: O & Closed<O, DateOptions>): Field<LeafTypes<Date, string>, O> =>
    build({ type: 'string', format: 'date-time', ...open(options), bsonType: 'date' }),

  /**
   * An `ObjectId`: 24 hexadecimal digits on the wire. Use `t.ref` for the id of a record of another model.
   *
   * @example
   * t.objectId({ immutable: true })
   */
  objectId: <const O extends FieldOptions<ObjectId>>(
    options?: O & Closed<O, FieldOptions<ObjectId>>,
  ): Field<LeafTypes<ObjectId, string>, O> =>
    build({ type: 'string', pattern: '^[0-9a-fA-F]{24}$', ...open(options), bsonType: 'objectId' }),

  /**
   * A UUID (RFC 9562): a `UUID` of the driver in documents. Stored as a BSON binary of subtype 4, or as `storedAs`
   * says.
   *
   * @example
   * t.uuid({ unique: true })
   */
  uuid: <const O extends UuidOptions>(options?: O & Closed<O, UuidOptions>): Field<LeafTypes<UUID, string>, O> =>
    build({ type: 'string', format: 'uuid', ...open(options), bsonType: 'binData' }),

  /**
   * Bytes: a `Binary` in documents, and base64 with padding (RFC 4648 §4) on the wire. Stored as a BSON binary of
   * subtype 0, or as `subtype` says.
   *
   * @example
   * t.binary({ description: 'A PNG image.' })
   */
  binary: <const O extends BinaryOptions>(options?: O & Closed<O, BinaryOptions>): Field<LeafTypes<Binary, string>, O> =>
    build({ type: 'string', contentEncoding: 'base64', ...open(options), bsonType: 'binData' }),

  /**
   * One of the given strings. For a TypeScript `enum`, pass `Object.values(Colour)`.
   *
   * @example
   * t.enum(['open', 'paid', 'sent'], { default: 'open' })
   */
  enum: <const V extends readonly string[], const O extends FieldOptions<V[number]>>(
    values: V & (V extends readonly [] ? never : unknown),
    options?: O & Closed<O, FieldOptions<V[number]>>,
  ): Field<LeafTypes<V[number], V[number]>, O> =>
    build({ type: 'string', enum: Array.isArray(values) ? [...values] : values, ...open(options) }),

  /**
   * A point on Earth in GeoJSON, `{ type: 'Point', coordinates: [longitude, latitude] }`, in documents as on the wire.
   * A patch replaces it whole. With `policy.near`, lists find the records around a place.
   *
   * @example
   * t.point({ policy: { near: { maxMetres: 50_000 } } })
   */
  point: <const O extends FieldOptions<Point>>(options?: O & Closed<O, FieldOptions<Point>>): Field<LeafTypes<Point, Point>, O> =>
    build({ type: 'object', ...open(options), bsonType: 'point' }),

  /**
   * An array. Patch and put replace the whole array.
   *
   * @example
   * t.array(t.string(), { maxItems: 10, uniqueItems: true })
   */
  array: <I extends FieldSchema, const O extends ArrayOptions<TypesIn<I>['document'][]>>(
    items: I,
    options?: O & Closed<O, ArrayOptions<unknown>>,
  ): Field<ArrayTypes<TypesIn<I>>, O> => build({ type: 'array', items, ...open(options) }),

  /**
   * A map from keys of the client to values of one type. Keys may have `$` and dots. Patch and put replace it whole;
   * with `merge`, a patch merges keys.
   *
   * @example
   * t.map(t.decimal(), { propertyNames: { pattern: '^[A-Z]{3}$' } })
   */
  map: <V extends FieldSchema, const O extends MapOptions<Record<string, TypesIn<V>['document']>>>(
    values: V,
    options?: O & Closed<O, MapOptions<unknown>>,
  ): Field<MapTypes<TypesIn<V>, O>, O> => build({ type: 'object', additionalProperties: values, ...open(options) }),

  /**
   * Any JSON value. Stored values of every BSON type are served as JSON.
   *
   * @example
   * t.any({ description: 'What the carrier has sent.' })
   */
  any: <const O extends FieldOptions>(options?: O & Closed<O, FieldOptions>): Field<LeafTypes<unknown, unknown>, O> =>
    build({ ...open(options) }),

  /**
   * An embedded object. `name` names its schema in OpenAPI. A patch merges it, unless `mergePatch` is false.
   *
   * @example
   * t.object('Address', { street: t.string(), zip: t.optional(t.string()) })
   */
  object: <const F extends Fields, const O extends ObjectOptions<DocumentOf<F>>>(
    name: string,
    fields: F & SoundlyComputed<F>,
    options?: O & Closed<O, ObjectOptions<DocumentOf<F>>>,
  ): ObjectField<F, O> => build(objectSchema(fields, { ...open(options), objectName: name })),

  /**
   * A field that may be absent: null in a patch removes it, a create must omit it. The options override the inner ones.
   *
   * @example
   * t.optional(t.string())
   */
  optional: <F extends FieldSchema, const O extends FieldOptions<TypesIn<F>['document']> = Record<never, never>>(
    field: F,
    options?: O & Closed<O, FieldOptions>,
  ): Field<TypesIn<F>, Overlaid<OptionsIn<F>, O> & { readonly '~optional': true }> => build(markOptional(extend(field, open(options)))),

  /**
   * A field that may be null, and is null until it is set. Its options belong to it, and override the inner ones.
   *
   * @example
   * t.nullable(Address, { storeNone: true })
   */
  nullable: <F extends FieldSchema, const O extends NullableOptions<TypesIn<F>['document']> = Record<never, never>>(
    field: F,
    options?: O & Closed<O, NullableOptions>,
  ): Field<NullableTypes<TypesIn<F>>, Overlaid<OptionsIn<F>, O> & { readonly '~nullable': true }> => {
    const nullable = extend({ anyOf: [field, { type: 'null' }] }, open(options));
    return build(isOptional(field) ? markOptional(nullable) : nullable);
  },

  /**
   * The id of a record of another model: an ObjectId unless `id` describes another type. `include` shows the record.
   *
   * @example
   * t.ref('Customer', { as: 'customer', id: t.uuid() })
   */
  ref: <const O extends RefOptions<TypesIn<I>['document']>, I extends FieldSchema = Field<LeafTypes<ObjectId, string>>>(
    model: string,
    options?: O & Closed<O, RefOptions<unknown> & { readonly id?: unknown }> & { readonly id?: I },
  ): Field<ReferenceTypes<TypesIn<I>, O>, O> => {
    const { id = t.objectId(), as, resource, exists, onDelete, ...rest } = open(options);
    const given = Object.entries({ as, resource, exists, onDelete }).filter(([, value]) => value !== undefined);
    return build(extend(id, { ...rest, ref: { model, ...Object.fromEntries(given) } }));
  },

  /**
   * A field that is made of others of its object when it is shown: it is not stored, written, filtered or sorted by.
   * `from` names the fields that `get` takes in document form, or is an object of the fields themselves, whose types
   * `get` then knows. What it returns is of the type of `schema`. See `docs/reference/computed.md`.
   *
   * @example
   * t.computed(t.string(), { from: ['first', 'last'], get: ({ first, last }) => `${first} ${last}` })
   */
  computed: <S extends FieldSchema, const From extends readonly string[] | Fields, Value extends Computed<S>, Values = ValuesOf<From>>(
    schema: S,
    { from, get }: { readonly from: From; readonly get: (values: Values) => Value & Synchronous<Value> },
  ): ComputedField<S, From, Values> => build(extend(schema, { computed: { from, get } })),

  /**
   * The records of another model that refer to this one, or with `count` their number. It stands directly in the
   * `fields` of a model, is never stored or written, and is shown only with `include`.
   *
   * @example
   * t.hasMany('Task', { via: 'projectId', max: 100, sort: '-createdAt' })
   */
  hasMany: <const O extends HasManyOptions>(
    model: string,
    options: O & { readonly [Name in keyof O]: Name extends keyof HasManyOptions ? unknown : never },
  ): HasManyField<O> => build({ hasMany: { model, ...open(options) } }),

  /**
   * A field that another schema describes: Zod, ArkType or Valibot (Standard JSON Schema), or a JSON Schema with
   * `$defs` and `$ref`. The options override its keywords. A rule that would be lost is a `ConfigurationError`.
   *
   * @example
   * t.from(z.email(), { unique: true, policy: { filter: ['eq'] } })
   */
  from: <const S extends StandardSchema | RawSchema, const O extends FromOptions<TypesFrom<S>['document']> = Record<never, never>>(
    schema: S & NotOptional<OutputOf<S>>,
    options?: O & Closed<O, FromOptions>,
  ): Field<TypesFrom<S>, Overlaid<OptionsFrom<S>, O>> =>
    build(extend(adoptSchema(isForeign(schema) ? schema : asSchema(schema, 't.from(…)'), 't.from(…)'), open(options))),

  ...fieldsOfPlugins,
  ...maintainedFields,
};
