import type { CompiledField, Node } from '../node.ts';
import { anyLeaf } from '../value/leaves.ts';

/** Null is a value of an untyped field. Otherwise it would be shown as missing. */
export function showNull(field: CompiledField): CompiledField {
  return field.node.kind === 'leaf' && field.node.leaf === anyLeaf ? { ...field, nullable: true, storeNone: true } : field;
}

type ChangeField = (field: CompiledField) => CompiledField;

/** Changes a field and all fields within it. */
export function changeFields(field: CompiledField, change: ChangeField): CompiledField {
  return { ...change(field), node: changeNode(field.node, change) };
}

function changeNode(node: Node, change: ChangeField): Node {
  switch (node.kind) {
    case 'leaf':
      return node;
    case 'array':
      return { ...node, items: { ...node.items, node: changeNode(node.items.node, change) } };
    case 'map':
      return { ...node, values: { ...node.values, node: changeNode(node.values.node, change) } };
    case 'object': {
      const fields = node.fields.map((field) => changeFields(field, change));
      return { ...node, fields, byName: new Map(fields.map((field) => [field.name, field])) };
    }
  }
}
