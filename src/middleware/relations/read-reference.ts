import type { LeafNode, Slot } from '../../model/node.ts';
import { Invalid } from '../../rules.ts';

/**
 * Reads the id of a path as a reference of this place, in stored form. It is {@link Invalid} if the place does not take
 * the id, although a record may have it: its type or its keywords are narrower than those of the ids.
 */
export function readReference(text: string, { node, constraint }: Slot): unknown {
  const { leaf } = node as LeafNode;
  const reference = leaf.fromText(text);
  if (reference instanceof Invalid) return reference;
  return constraint?.(leaf.toDocument(reference)) ?? reference;
}
