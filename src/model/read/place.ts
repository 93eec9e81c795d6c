import type { Node } from '../node.ts';
import { anyLeaf } from '../value/leaves.ts';

/**
 * The place of a record in an answer is the schema that the answer has there. An untyped value takes all that clients
 * read of a record, at any depth, and an object the members that it names. Undefined is a place that takes no computed
 * field.
 */
type Place = Node | undefined;

/** A place without a schema. */
export const anyPlace: Node = { kind: 'leaf', leaf: anyLeaf, keywords: {} };

/** Whether an object in this place takes a member of this name that is made for it. What it computes itself is none. */
export function takesMember(place: Place, name: string): boolean {
  return memberIn(place, name) !== undefined;
}

/** The place of a member of the object in this place. */
export function memberIn(place: Place, name: string): Place {
  return place?.kind === 'object' ? place.byName.get(name)?.node : valuesIn(place);
}

/** The place of the values of the map in this place. */
export function valuesIn(place: Place): Place {
  if (place?.kind === 'map') return place.values.node;
  return place?.kind === 'leaf' ? place : undefined;
}

/** The place of the items of the array in this place. */
export function itemsIn(place: Place): Place {
  if (place?.kind === 'array') return place.items.node;
  return place?.kind === 'leaf' ? place : undefined;
}
