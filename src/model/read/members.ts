import { type CompiledField, join, type Node } from '../node.ts';
import { isStoredObject, mapEntries } from '../value/stored-shape.ts';

/** Whether a member stays in a copy. `name` is its dotted name within the value, without steps for items and keys. */
export type IsKept = (field: CompiledField, name: string) => boolean;

/** A copy of a stored value that has only some of its declared members, at any depth. */
export function keepMembers(node: Node, value: unknown, isKept: IsKept, at = ''): unknown {
  if (node.kind === 'array') return Array.isArray(value) ? value.map((item) => keepMembers(node.items.node, item, isKept, at)) : value;
  if (node.kind === 'map') {
    const members = mapEntries(value);
    return members ? Object.fromEntries(Array.from(members, ([key, one]) => [key, keepMembers(node.values.node, one, isKept, at)])) : value;
  }
  if (node.kind !== 'object' || !isStoredObject(value)) return value;
  const members = node.fields.flatMap((field) => {
    const name = join(at, field.name);
    if (!Object.hasOwn(value, field.key) || !isKept(field, name)) return [];
    return [[field.key, keepMembers(field.node, value[field.key], isKept, name)] as const];
  });
  return Object.fromEntries(members);
}

/** The dotted names of the members that clients may read of a value, at any depth. */
export function readableMembers(node: Node, at = ''): string[] {
  if (node.kind === 'array') return readableMembers(node.items.node, at);
  if (node.kind === 'map') return readableMembers(node.values.node, at);
  if (node.kind !== 'object') return [];
  return node.fields.flatMap(({ name, policy, node: member }) => {
    const own = join(at, name);
    return policy.private ? [] : [own, ...readableMembers(member, own)];
  });
}
