import type { IndexDescription, ObjectId } from 'mongodb';
import { ConfigurationError } from '../../errors.ts';
import { optionsOfModels } from '../../features/model-options.ts';
import type { OptionsOfModels } from '../../features/model-types.ts';
import {
  anObject,
  aTimeLimit,
  checkedLater,
  checkOptions,
  checkValue,
  type Legal,
  type LegalOptions,
  orUndefined,
  required,
} from '../../options.ts';
import { definedOf } from '../value/plain-object.ts';
import { objectSchema } from './build-schema.ts';
import { divideFields } from './has-many.ts';
import type { Checked, HasFields, SoundlyComputed } from './infer.ts';
import type { ModelHistory, ModelOutbox } from './ledger.ts';
import type { Check, Fields, RawSchema } from './schema.ts';

/** An index of a model, described by the names of its fields. */
export interface FieldsIndex<Name extends string = string> {
  /**
   * Field names in the order of the index. A `-` in front means descending. `id` names the record's id, which is the
   * last key of every sort of a list.
   */
  readonly fields: readonly Name[];
  /**
   * Whether no two records may have the same values in all of these fields: a write that would make two is a 409. A
   * record without a value in one of the fields is not compared. @default false
   */
  readonly unique?: boolean;
}

/**
 * An index that a model needs in addition to those that `planIndexes` derives. It is given either by the names of its
 * fields, or with `key` and stored paths as the driver's `createIndexes` takes it (text, geo, `expireAfterSeconds`, …).
 */
export type ModelIndex<Name extends string = string> = FieldsIndex<Name> | IndexDescription;

/** Options of {@link defineModel}. */
export interface ModelOptions<F extends Fields = Fields> extends OptionsOfModels<FieldName<NoInfer<F>>> {
  /** The name of the MongoDB collection that stores the records. */
  readonly collection: string;
  /** The fields by name. If there is no `id` among them, the id is an ObjectId that the service makes. */
  readonly fields: F;
  /**
   * Validates several fields together: on create, on put, and on a patch that names every field. It gets the record
   * without its id, its revision and its timestamps. See `Check` for what it returns.
   * @default none
   */
  readonly check?: Check<Checked<F>>;
  /**
   * How long the database may work for a request about records of this model, in milliseconds. It overrides the api's
   * `maxTimeMS`.
   * @default the api's, 10,000
   */
  readonly maxTimeMS?: number;
  /**
   * Unique indexes of several fields, and indexes that the application needs in addition to those that `planIndexes`
   * derives.
   * @default none
   *
   * @example
   * indexes: [{ fields: ['owner', 'number'], unique: true }, { fields: ['status', '-createdAt', '-id'] }]
   */
  readonly indexes?: readonly ModelIndex<IndexedName<NoInfer<F>>>[];
  /**
   * Whether each change of a record is kept, in the transaction of the change: when it was made and by whom, and the
   * values before and after it, but for those of private fields. The model needs `t.revision()`, and the database a
   * replica set. See `docs/reference/history.md`.
   * @default false
   *
   * @example
   * history: { keep: '90d', scopeFields: ['owner'] }
   */
  readonly history?: boolean | ModelHistory<FieldName<NoInfer<F>>>;
  /**
   * Whether each change of a record leaves an event, in the transaction of the change, that `api.deliver` hands on. The
   * model needs `t.revision()`, and the database a replica set.
   * @default false
   */
  readonly outbox?: boolean | ModelOutbox;
}

type FieldName<F extends Fields> = (keyof F & string) | `${string}.${string}`;
type IndexedName<F extends Fields> = `${'' | '-'}${(keyof F & string) | 'id'}` | `${string}.${string}`;

/** The options of plug-ins, as a model keeps them. */
export type KeptOptions = { readonly [Name in keyof OptionsOfModels<string>]-?: OptionsOfModels<string>[Name] | undefined };

/**
 * A document model, as {@link defineModel} returns it. It is plain data. `Document<typeof Order>`, `Read`, `Create` and
 * `Patch` are its types.
 */
export interface Model<F extends Fields = Fields> extends HasFields<F>, KeptOptions {
  readonly name: string;
  readonly collection: string;
  /** The JSON Schema of a record, with the keywords of this library. */
  readonly schema: RawSchema;
  /** The relations that `t.hasMany` has defined, by name. They are not in the schema, because they are not stored. */
  readonly hasMany: Readonly<Record<string, unknown>>;
  readonly maxTimeMS: number | undefined;
  readonly indexes: readonly ModelIndex[] | undefined;
  readonly history: boolean | ModelHistory | undefined;
  readonly outbox: boolean | ModelOutbox | undefined;
  /**
   * Makes a model of the same fields and more: `fields` and `indexes` are added, and every other option is that of this
   * model unless it is given. A field may replace one of the same name. Both describe the same collection, unless
   * `collection` names another one. This model does not change.
   *
   * Throws a `ConfigurationError` for the name of this model, and for what would spoil a collection that both describe:
   * a field that is stored as another type, and no `history` or `outbox` where this model has one.
   *
   * @example
   * const PaidOrder = Order.extend('PaidOrder', { collection: 'paid_orders', fields: { paidAt: t.date() } });
   */
  extend<M extends HasFields, const G extends Fields = Record<never, never>>(
    this: M,
    name: string,
    options: ExtensionOptions<M['~fields'], G>,
  ): Model<Extended<M['~fields'], G>>;
}

/** The options of `extend`: those that it lacks are those of the model that it extends. */
export interface ExtensionOptions<F extends Fields, G extends Fields> extends Partial<Omit<ModelOptions<Extended<F, G>>, 'fields'>> {
  /** The fields that are added, or replace those of the same names. @default none */
  readonly fields?: G;
}

/** The fields of a model, and those that another one adds or replaces. */
export type Extended<F extends Fields, G extends Fields> = {
  readonly [K in keyof F | keyof G]: K extends keyof G ? G[K] : K extends keyof F ? F[K] : never;
};

/**
 * Describes the records of a collection. `name` names the model in `t.ref` and its schemas in the OpenAPI description.
 *
 * Throws a `ConfigurationError` for an unknown or invalid option. The fields are checked when the model is compiled: by
 * `service().api()`, or by a middleware that takes a model.
 *
 * @example
 * const Note = defineModel('Note', { collection: 'notes', fields: { text: t.string(), revision: t.revision() } });
 * type NoteDocument = Document<typeof Note>; // { id: ObjectId; text: string; revision: number }
 */
export function defineModel<const F extends Fields>(
  name: string,
  options: ModelOptions<F> & { readonly fields: SoundlyComputed<F, { id: ObjectId }> },
): Model<F> {
  checkValue('The name of a model', name, aModelName);
  checkOptions(options as object, legal, `model \`${name}\``);
  const { collection, fields, check, maxTimeMS, indexes, history, outbox } = options;
  const { stored, hasMany } = divideFields(fields);
  const schema = objectSchema(stored, { check });
  const model = { name, collection, schema, hasMany, maxTimeMS, indexes, ...pickOfPlugins(options), history, outbox, extend };
  return model as unknown as Model<F>; // `~fields` exists only in the type
}

function extend(this: Model, name: string, options: ExtensionOptions<Fields, Fields>): Model {
  const where = `\`${this.name}.extend\``;
  if (name === this.name) throw new ConfigurationError(`${where} makes another model, which needs another name.`);
  checkOptions(options, legalExtension, where);
  const { collection = this.collection, fields = {}, indexes = [], check = this.schema.check, ...rest } = options;
  if (collection === this.collection) checkSameRecords(this, options, where);
  const kept = { ...this, ...definedOf(rest) };
  const { maxTimeMS, history, outbox } = kept;
  const added = Array.isArray(indexes) && this.indexes ? [...this.indexes, ...indexes] : indexes;
  return defineModel(name, {
    collection,
    fields: { ...fieldsOf(this), ...fields },
    check,
    maxTimeMS,
    indexes: added,
    ...pickOfPlugins(kept),
    history,
    outbox,
  } as ModelOptions);
}

/** The options that plug-ins add to models. */
function pickOfPlugins(options: Partial<KeptOptions>): KeptOptions {
  return Object.fromEntries(optionsOfModels.map((name) => [name, options[name]])) as KeptOptions;
}

function fieldsOf({ schema, hasMany }: Model): Fields {
  const many = Object.entries(hasMany).map(([name, relation]) => [name, { hasMany: relation }]);
  return { ...(schema.properties as Fields), ...Object.fromEntries(many) };
}

/** Refuses what would make records of the one model that do not fit the other. */
function checkSameRecords(model: Model, { fields = {}, history, outbox }: ExtensionOptions<Fields, Fields>, where: string): void {
  const known = model.schema.properties as Fields;
  const other = Object.keys(fields).find((name) => name in known && storedType(known[name]) !== storedType(fields[name]));
  const both = `the records of \`${model.collection}\` belong to both models`;
  if (other !== undefined)
    throw new ConfigurationError(
      `${where} stores \`${other}\` as another type, but ${both}: give it another name, or the new model a \`collection\`.`,
    );
  const lost = Object.entries({ history, outbox }).find(([name, value]) => value === false && model[name as 'history' | 'outbox']);
  if (lost)
    throw new ConfigurationError(
      `${where} turns off \`${lost[0]}\`, but ${both}: what is written by the new model would be missing there.`,
    );
}

/** The stored type of a field, null aside. Types that JSON Schema says in another way are all alike. */
function storedType(field: unknown): string {
  const { anyOf, type, bsonType } = field as { readonly anyOf?: readonly unknown[]; readonly type?: unknown; readonly bsonType?: unknown };
  return Array.isArray(anyOf) ? storedType(anyOf[0]) : `${type}, ${bsonType}`;
}

const legal: LegalOptions<ModelOptions> = {
  collection: required([isCollectionName, 'the name of a MongoDB collection, without $ or NUL']),
  fields: required(anObject('an object: { title: t.string(), … }')),
  check: checkedLater, // where it is compiled: embedded objects may have one, too
  maxTimeMS: orUndefined(aTimeLimit),
  indexes: checkedLater,
  ...(Object.fromEntries(optionsOfModels.map((name) => [name, checkedLater])) as LegalOptions<OptionsOfModels<string>>),
  history: checkedLater,
  outbox: checkedLater,
};

const legalExtension: LegalOptions<ExtensionOptions<Fields, Fields>> = {
  ...legal,
  collection: orUndefined(legal.collection),
  fields: orUndefined(legal.fields),
};

const aModelName: Legal = [
  (name) => typeof name === 'string' && /^[A-Za-z0-9._-]+$/.test(name),
  'made of letters, digits, dots, hyphens and underscores: the OpenAPI description uses it',
];

function isCollectionName(name: unknown): boolean {
  return typeof name === 'string' && name !== '' && !/[$\0]|^system\.|^\.|\.$|\.\./.test(name);
}
