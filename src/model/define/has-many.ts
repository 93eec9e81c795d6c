import { isObject } from '../value/plain-object.ts';
import { isOptional } from './optional.ts';
import type { Field } from './schema.ts';

/**
 * The other side of a reference: the records of another model that refer to a record. It is never stored, and never
 * written.
 */
export interface HasMany {
  /** The name of the model whose records refer to this one. */
  readonly model: string;
  /** The dotted name of the field of that model that holds the ids of this one: a `t.ref`, alone or in an array. */
  readonly via: string;
  /**
   * How many records one record shows at most, up to 10,000. With `count`, up to which number is counted, at most
   * 1,000,000.
   * @default 100, and 10,000 with `count`
   */
  readonly max?: number;
  /**
   * The order of the records, as `sort` of a list has it: names of fields of the other model, separated by commas, with
   * `-` for descending. The id is always the last key. @default by id
   */
  readonly sort?: string;
  /** Whether the relation is the number of the records, and not the records. @default false */
  readonly count?: boolean;
  /**
   * The path of the resource whose scope and guards (those of Get) apply.
   * @default the resource whose path is the model's collection, else the model's only resource
   */
  readonly resource?: string;
}

/** Options of `t.hasMany`. */
export type HasManyOptions = Omit<HasMany, 'model'>;

/** An included record of a model that is known by its name only. */
type ManyRecord = Readonly<Record<string, unknown>>;

/**
 * What `t.hasMany` returns. Its markers keep it out of documents and of everything that is written. A client reads it
 * only if it is included.
 */
export type HasManyField<O> = Field<
  {
    document: never;
    read: O extends { readonly count: true } ? number : readonly ManyRecord[];
    create: never;
    patch: never;
    changes: never;
  },
  { readonly '~many': true; readonly '~maintained': true; readonly '~optional': true }
>;

/** The fields of a model that are stored, and those that are the other side of a reference. */
interface DividedFields {
  readonly stored: unknown;
  readonly hasMany: Readonly<Record<string, unknown>>;
}

/**
 * Divides the fields of a model. What is not a plain `t.hasMany`, because it has other keywords or stands in a wrapper,
 * stays a field, which is refused when the model is compiled.
 */
export function divideFields(fields: unknown): DividedFields {
  if (!isObject(fields) || !Object.values(fields).some(isHasMany)) return { stored: fields, hasMany: {} };
  const all = Object.entries(fields);
  return {
    stored: Object.fromEntries(all.filter(([, field]) => !isHasMany(field))),
    hasMany: Object.fromEntries(all.flatMap(([name, field]) => (isHasMany(field) ? [[name, field.hasMany]] : []))),
  };
}

function isHasMany(field: unknown): field is { readonly hasMany: unknown } {
  return isObject(field) && Object.keys(field).join() === 'hasMany' && !isOptional(field);
}
