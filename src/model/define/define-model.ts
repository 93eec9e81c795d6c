import type { IndexDescription } from 'mongodb';
import {
  anObject,
  aWholeNumber,
  checkedLater,
  checkOptions,
  checkValue,
  type Legal,
  type LegalOptions,
  orUndefined,
  required,
} from '../../options.ts';
import type { Checked, HasFields } from './infer.ts';
import type { Check, Fields, RawSchema } from './schema.ts';
import { objectSchema } from './t.ts';

/** An index of a model, by the names of its fields. */
export interface FieldsIndex<Name extends string = string> {
  /** In the order of the index; `-` in front is descending. `id` is the record's id, and the last key of every sort of a list. */
  readonly fields: readonly Name[];
  /** No two records have the same values in all of the fields (409); a record that lacks one of them is not compared. @default false */
  readonly unique?: boolean;
}

/**
 * An index that a model needs beside those which `planIndexes` derives: by the names of its fields, or in full as the driver's
 * `createIndexes` takes it (text, geo, `expireAfterSeconds`, …), by stored paths.
 */
export type ModelIndex<Name extends string = string> = FieldsIndex<Name> | IndexDescription;

/** What `defineModel` is given beside the model's name. */
export interface ModelOptions<F extends Fields = Fields> {
  /** The MongoDB collection of its records. */
  readonly collection: string;
  /** The fields. Without an `id` among them, it is an ObjectId made by the service. */
  readonly fields: F;
  /**
   * Validates several fields at once: on create and put, and on a patch that names every field. It sees the record's own fields, without id,
   * revision and timestamps.
   */
  readonly check?: Check<Checked<F>>;
  /** Time limit of the database for one read, in milliseconds; wins over the api's. @default the api's, 10,000 */
  readonly maxTimeMS?: number;
  /**
   * Unique indexes of several fields, and indexes that the application needs beside those which `planIndexes` derives.
   * @default none
   *
   * @example
   * indexes: [{ fields: ['owner', 'number'], unique: true }, { fields: ['status', '-createdAt', '-id'] }]
   */
  readonly indexes?: readonly ModelIndex<IndexedName<NoInfer<F>>>[];
}

type IndexedName<F extends Fields> = `${'' | '-'}${(keyof F & string) | 'id'}` | `${string}.${string}`;

/** A document model: data only. Its types are `Document`, `Read`, `Create` and `Patch` of `typeof` it. */
export interface Model<F extends Fields = Fields> extends HasFields<F> {
  readonly name: string;
  readonly collection: string;
  /** The JSON Schema of a record, with the library's own keywords. */
  readonly schema: RawSchema;
  readonly maxTimeMS: number | undefined;
  readonly indexes: readonly ModelIndex[] | undefined;
}

/**
 * Describes the documents of a collection. The definition is checked when it is compiled: by `service().api()`, or by a middleware that
 * takes a model.
 *
 * @example
 * const Note = defineModel('Note', { collection: 'notes', fields: { text: t.string(), revision: t.revision() } });
 * type NoteDocument = Document<typeof Note>; // { id: ObjectId; text: string; revision: number }
 */
export function defineModel<const F extends Fields>(name: string, options: ModelOptions<F>): Model<F> {
  checkValue('The name of a model', name, aModelName);
  checkOptions(options, legal, `model \`${name}\``);
  const { collection, fields, check, maxTimeMS, indexes } = options;
  const model = { name, collection, schema: objectSchema(fields, { check }), maxTimeMS, indexes };
  return model as unknown as Model<F>; // `~fields` exists in the type only
}

const legal: LegalOptions<ModelOptions> = {
  collection: required([isCollectionName, 'the name of a MongoDB collection, without $ or NUL']),
  fields: required(anObject('an object: { title: t.string(), … }')),
  check: checkedLater, // where it is compiled: embedded objects may have one, too
  maxTimeMS: orUndefined(aWholeNumber(1, undefined, ' of milliseconds')),
  indexes: checkedLater,
};

const aModelName: Legal = [
  (name) => typeof name === 'string' && /^[A-Za-z0-9._-]+$/.test(name),
  'made of letters, digits, dots, hyphens and underscores: the OpenAPI description uses it',
];

function isCollectionName(name: unknown): boolean {
  return typeof name === 'string' && name !== '' && !/[$\0]|^system\.|^\.|\.$|\.\./.test(name);
}
