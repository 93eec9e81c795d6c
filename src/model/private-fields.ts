import type { Node, ObjectNode } from './node.ts';

/** The names of private fields, at any depth. */
export function privateNames(node: Node): ReadonlySet<string> {
  switch (node.kind) {
    case 'leaf':
      return new Set();
    case 'array':
      return privateNames(node.items.node);
    case 'map':
      return privateNames(node.values.node);
    case 'object':
      return new Set(node.fields.flatMap((field) => [...(field.policy.private ? [field.name] : []), ...privateNames(field.node)]));
  }
}

/** The same object without its private fields, at any depth. */
export function withoutPrivate(node: ObjectNode): ObjectNode {
  const fields = node.fields.filter((field) => !field.policy.private).map((field) => ({ ...field, node: readable(field.node) }));
  return { ...node, fields, byName: new Map(fields.map((field) => [field.name, field])) };
}

function readable(node: Node): Node {
  switch (node.kind) {
    case 'leaf':
      return node;
    case 'array':
      return { ...node, items: { ...node.items, node: readable(node.items.node) } };
    case 'map':
      return { ...node, values: { ...node.values, node: readable(node.values.node) } };
    case 'object':
      return withoutPrivate(node);
  }
}
