import type { Within } from '../lifecycle/within.ts';
import { all, bringing, type Predicate } from '../predicate/predicate.ts';

declare const isReachable: unique symbol;

/** What the records fulfil to which a relation can lead. Only {@link reachable} makes it. */
export type Reachable = Predicate & { readonly [isReachable]: true };

/**
 * What these records fulfil if a relation can lead to them: their id has the type of the model's ids. In a `$lookup`
 * and in a filter, a missing field of a list counts as null. It must not lead to a record whose id is null.
 */
export function reachable(within: Within): Reachable {
  const { bsonTypes } = within.model.id.leaf;
  const idIsOfType = bringing({
    filter: { _id: { $type: bsonTypes } },
    comparisons: [],
    paths: ['_id'],
    expression: (variable) => ({ $in: [{ $type: `${variable}._id` }, { $literal: bsonTypes }] }), // an id is no array
  });
  return all(idIsOfType, within.predicate) as Reachable;
}
