import type { NamesOr, RelationNames } from '../../model/define/relation-names.ts';
import type { Fields } from '../../model/define/schema.ts';

/** The option of a resource for single elements of arrays of references. */
export interface OfLinks<F extends Fields> {
  /**
   * Arrays of references, by the names of their relations, to which clients may add and from which they may remove
   * single elements: `PUT` and `DELETE <prefix>/<path>/{id}/tags/{other}`. They are a patch: its guards, server fields
   * and hooks apply, except for `before`.
   * @default none
   *
   * @example
   * links: ['tags']
   */
  readonly links?: readonly NamesOr<'the model has no array of references', RelationNames<F>['arrays'], F>[];
}
