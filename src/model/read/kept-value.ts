import type { LeafNode, Node, Slot } from '../node.ts';
import { MisfitError } from '../value/leaf.ts';
import { writeUntyped } from '../value/untyped.ts';
import { compileValueWriter, type WriteJson } from './write-json.ts';

/**
 * Compiles the writer of a value that a field once had, as a history keeps it: without what is computed, because that
 * is made of what is stored now. What did not fit its field is written as it was stored, and nothing around it is.
 */
export function compileKeptWriter(slot: Slot): WriteJson {
  return compileValueWriter({ ...slot, node: kept(slot.node) });
}

function kept(node: Node): Node {
  switch (node.kind) {
    case 'leaf':
      return node.leaf.base ? keptLeaf(node) : node;
    case 'array':
      return { ...node, items: { ...node.items, node: kept(node.items.node) } };
    case 'map':
      return { ...node, values: { ...node.values, node: kept(node.values.node) } };
    case 'object': {
      const fields = node.fields.map((field) => ({ ...field, node: kept(field.node) }));
      return { ...node, fields, byName: new Map(fields.map((field) => [field.name, field])), computed: undefined };
    }
  }
}

function keptLeaf(node: LeafNode): LeafNode {
  const { leaf } = node;
  function toJson(stored: unknown): string {
    try {
      return leaf.toJson(stored);
    } catch (error) {
      if (error instanceof MisfitError) return writeUntyped(stored);
      throw error;
    }
  }
  return { ...node, leaf: { ...leaf, toJson } };
}
