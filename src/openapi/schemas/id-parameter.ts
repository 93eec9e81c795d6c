import type { LeafNode } from '../../model/node.ts';
import { objectIdLeaf, stringLeaf, uuidLeaf } from '../../model/value/leaves.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import type { DocumentPart } from '../document.ts';
import { readLeaf, textLeaf } from './value-schema.ts';

/** The id in a path, as a parameter. */
export function idParameter({ model }: CompiledResource): DocumentPart {
  return { name: 'id', in: 'path', required: true, description: 'The id of the record.', schema: pathSchema(model.id) };
}

/** The id of another record in a path, as a parameter. */
export function otherParameter(name: string, model: CompiledResource['model']): DocumentPart {
  const description = `The id of the record of ${model.name}.`;
  return { name, in: 'path', required: true, description, schema: pathSchema(model.id) };
}

/** A record is found by the spelling of `Location` only. */
function pathSchema({ leaf, node }: CompiledResource['model']['id']): DocumentPart {
  if (leaf === stringLeaf) return readLeaf(node as LeafNode);
  return { ...textLeaf(leaf), ...pathPatterns.get(leaf.base ?? leaf) };
}

const pathPatterns = new Map<unknown, DocumentPart>([
  [objectIdLeaf, { pattern: '^[0-9a-f]{24}$' }],
  [uuidLeaf, { pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' }],
]);
