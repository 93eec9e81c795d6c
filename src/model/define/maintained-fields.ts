import { build, maintainedDate, withoutDefault } from './build-schema.ts';
import { markOptional } from './optional.ts';
import type { Closed, Field, FieldOptions } from './schema.ts';
import type { LeafTypes } from './value-types.ts';

/** The options of a field that the service sets. Not exported, or declarations would name a path that packages lack. */
type Maintained<Document> = Omit<FieldOptions<Document>, 'default'>;

/** The builders of fields that the service sets. */
export const maintainedFields = {
  /**
   * The revision of the record, and its only source of an ETag: 0 on create, and one more after each write.
   *
   * @example
   * t.revision()
   */
  revision: <const O extends Maintained<number>>(
    options?: O & Closed<O, Maintained<number>>,
  ): Field<LeafTypes<number, number>, O & { readonly '~maintained': true }> =>
    build({ type: 'integer', minimum: 0, ...withoutDefault('revision', options), default: 0, bsonType: 'int', maintained: 'revision' }),

  /**
   * The time when the record was created. The service sets it.
   *
   * @example
   * t.createdAt({ policy: { sort: true } })
   */
  createdAt: <const O extends Maintained<Date>>(
    options?: O & Closed<O, Maintained<Date>>,
  ): Field<LeafTypes<Date, string>, O & { readonly '~maintained': true }> => build(maintainedDate('createdAt', options)),

  /**
   * The time of the last write to the record. The service sets it.
   *
   * @example
   * t.updatedAt({ policy: { filter: ['gte'] } })
   */
  updatedAt: <const O extends Maintained<Date>>(
    options?: O & Closed<O, Maintained<Date>>,
  ): Field<LeafTypes<Date, string>, O & { readonly '~maintained': true }> => build(maintainedDate('updatedAt', options)),

  /**
   * The time of the delete, which sets this field instead of removing the record. See `docs/reference/soft-delete.md`.
   *
   * @example
   * t.deletedAt()
   */
  deletedAt: <const O extends Maintained<Date>>(
    options?: O & Closed<O, Maintained<Date>>,
  ): Field<LeafTypes<Date, string>, O & { readonly '~maintained': true; readonly '~optional': true }> =>
    build(markOptional(maintainedDate('deletedAt', options))),
};
