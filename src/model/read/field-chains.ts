import type { CompiledField, FieldEntry, Node } from '../node.ts';

/** A field with all that hold it, from the outermost one on. */
export type FieldChain = readonly CompiledField[];

/** The field of an entry with all that hold it. */
export function chainOf({ field, parent }: FieldEntry): FieldChain {
  return [...(parent ? chainOf(parent) : []), field];
}

/**
 * The fields about whose values a stored path says something: the one that it names, those that it leads through, and
 * all that are in what stands there. `$**` stands for all that is in a value. Empty for a path that the model does not
 * know.
 */
export function chainsAt(node: Node, [key, ...rest]: readonly string[], above: FieldChain = []): FieldChain[] {
  const own = above.length > 0 ? [above] : [];
  if (key === undefined || key === '$**') return [...own, ...chainsIn(node, above)];
  switch (node.kind) {
    case 'leaf':
      return own;
    case 'array': {
      const items = node.items.node;
      const atPlace = /^\d+$/.test(key) ? chainsAt(items, rest, above) : [];
      return [...chainsAt(items, [key, ...rest], above), ...atPlace];
    }
    case 'map':
      return chainsAt(node.values.node, rest, above);
    case 'object': {
      const field = node.fields.find((one) => one.key === key);
      return field ? chainsAt(field.node, rest, [...above, field]) : [];
    }
  }
}

function chainsIn(node: Node, above: FieldChain): FieldChain[] {
  switch (node.kind) {
    case 'leaf':
      return [];
    case 'array':
      return chainsIn(node.items.node, above);
    case 'map':
      return chainsIn(node.values.node, above);
    case 'object':
      return node.fields.flatMap((field) => {
        const chain = [...above, field];
        return [chain, ...chainsIn(field.node, chain)];
      });
  }
}
